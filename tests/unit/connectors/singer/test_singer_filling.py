"""The credential goes where `fill` says, and nowhere else."""

import json
from typing import Any

import pytest

from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.singer.filling import filled
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.endpoints.secrecy import secret_field
from windrow.telemetry import redact
from windrow.vault import Secret

OBJECT = json.dumps({"user": "ada", "password": "canary-91ab", "nested": {"key": "canary-77cd"}})


def told(fill: tuple[str, ...], secret: str, template: dict[str, Any] | None = None) -> dict[str, Any]:
    document, _ = filled(template or {}, fill, Secret(secret))
    found: dict[str, Any] = json.loads(document)
    return found


def test_all_of_it_or_a_field_of_it_goes_to_a_place() -> None:
    template = {"auth": {"kind": "basic"}, "start": "2026"}

    assert told(("auth.key",), "canary-3f", template) == {
        "auth": {"kind": "basic", "key": "canary-3f"},
        "start": "2026",
    }
    assert told(("user:user", "auth.pw:password"), OBJECT, template) == {
        "auth": {"kind": "basic", "pw": "canary-91ab"},
        "start": "2026",
        "user": "ada",
    }
    assert told(("*",), OBJECT, template) == template | json.loads(OBJECT)
    assert template == {"auth": {"kind": "basic"}, "start": "2026"}


def test_the_parts_of_a_credential_are_known_as_secrets() -> None:
    filled({}, ("*",), Secret(json.dumps({"environment": "production", "token": "canary-5512-x"})))

    assert redact("production canary-5512-x") == "production [redacted]"


@pytest.mark.parametrize(
    ("fill", "secret", "says"),
    [
        ((), "canary-1234", "nothing says where it goes"),
        (("key",), None, "and there is none"),
        (("key:field",), "canary-1234", "no JSON object with the field 'field'"),
        (("*",), "[1]", "no JSON object"),
    ],
)
def test_a_credential_that_does_not_fit_is_told_and_not_shown(
    fill: tuple[str, ...], secret: str | None, says: str
) -> None:
    with pytest.raises(Fatal, match=says) as refused:
        filled({}, fill, Secret(secret) if secret else None)

    assert refused.value.code is Code.CREDENTIAL_MISSING
    assert "canary" not in f"{refused.value!r} {refused.value.__context__!r}"


def test_a_place_inside_of_what_is_no_object_is_refused() -> None:
    with pytest.raises(ValidationFailure, match="auth is no object"):
        filled({"auth": 7}, ("auth.key",), Secret("canary-1234"))


def test_an_endpoint_may_say_where_a_secret_goes_but_not_what_it_is() -> None:
    config = SingerConfig(
        tap="t", tap_config={"token_url": "https://a.example/token"}, fill=("api_key", "auth.password:pw")
    )

    assert secret_field(config.model_dump(mode="json")) is None
    assert secret_field({"tap_config": {"api_key": "plain"}}) == "tap_config.api_key"
