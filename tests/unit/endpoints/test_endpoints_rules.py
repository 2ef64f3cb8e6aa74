"""What an endpoint may be, and that a secret is refused wherever it is put, without being repeated."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors import spec
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.endpoints import LARGEST_PAGE, SMALLEST_PAGE, Endpoint, check

ENDPOINT = Endpoint(
    scope=Scope("acme", "main"), endpoint_id="handbook", connector="git", config={"url": "/srv/handbook"}
)
CANARY = "c4nary5ecretValue0123"


def refused(**changes: Any) -> ValidationFailure:
    with pytest.raises(ValidationFailure) as failure:
        check(replace(ENDPOINT, **changes))
    assert failure.value.hint
    return failure.value


def test_an_endpoint_within_the_rules_is_kept() -> None:
    whole = replace(ENDPOINT, credential_ref="env:WINDROW_SECRET_GIT", schedule=" @Hourly ", page_size=50)

    assert check(whole) == replace(whole, schedule="@hourly")


@pytest.mark.parametrize("name", ["", "Handbook", "hand book", "../etc", "-a", "a" * 65, "naïve", "a\n"])
def test_a_name_is_a_slug(name: str) -> None:
    refused(endpoint_id=name)
    refused(connector=name)


@pytest.mark.req("MW-40")
@pytest.mark.parametrize("size", [49, 501, 0, -1, True, 100.0, "100"])
def test_a_page_size_outside_of_50_to_500_is_refused(size: Any) -> None:
    assert "50 to 500" in (refused(page_size=size).hint or "")


@pytest.mark.req("MW-40")
@pytest.mark.parametrize("size", [None, 50, 100, 500])
def test_a_page_size_of_50_to_500_is_kept(size: int | None) -> None:
    assert check(replace(ENDPOINT, page_size=size)).page_size == size


def test_the_sizes_are_those_of_the_connectors() -> None:
    assert (SMALLEST_PAGE, LARGEST_PAGE) == (spec.SMALLEST_PAGE, spec.LARGEST_PAGE)


@pytest.mark.parametrize(
    "pasted",
    [
        CANARY,
        f"user:{CANARY}",
        f"Bearer {CANARY}",
        f"https://user:{CANARY}@host.example",
        f"env:ghp_{CANARY}",
        f"file:/run/ghp_{CANARY}",
        f"env:NAME#ghp_{CANARY}",
        f"vault:AKIA{'ABCDEFGHIJKLMNOP'}",
        f"token:{CANARY}",
        "",
        "env:",
        "env:A B",
    ],
)
def test_a_credential_ref_that_is_no_reference_is_refused_and_not_repeated(pasted: str) -> None:
    failure = refused(credential_ref=pasted)

    assert CANARY not in f"{failure.message} {failure.hint}"
    assert "ABCDEFGHIJKLMNOP" not in f"{failure.message} {failure.hint}"


@pytest.mark.parametrize("reference", ["env:GITHUB_TOKEN", "file:/run/secrets/git#token", "aws-sm:windrow/acme/git"])
def test_a_credential_ref_that_is_a_reference_is_kept(reference: str) -> None:
    assert check(replace(ENDPOINT, credential_ref=reference)).credential_ref == reference


@pytest.mark.parametrize(
    "config",
    [
        {"token": CANARY},
        {"PASSWORD": CANARY},
        {"api_key": CANARY},
        {"auth": {"client_secret": CANARY}},
        {"secrets": [{"value": CANARY}]},
        {"headers": [{"authorization": CANARY}]},
        {"url": f"https://user:{CANARY}@host.example/a.git"},
        {"url": f"https://{CANARY}@host.example/a.git"},
        {"note": f"use ghp_{CANARY}"},
        {"note": f"Bearer {CANARY}"},
        {f"ghp_{CANARY}": 1},
        {"outer": {f"ghp_{CANARY}": {"a": 1}}},
    ],
)
def test_a_secret_in_the_configuration_is_refused_and_not_repeated(config: dict[str, Any]) -> None:
    failure = refused(config=config)

    assert CANARY not in f"{failure.message} {failure.hint}"
    assert "--credential-ref" in (failure.hint or "")


@pytest.mark.parametrize(
    "config",
    [
        {"token_url": "https://login.example/token"},
        {"page_token_param": "pageToken"},
        {"password": None},
        {"token": ""},
        {"url": "ssh://git@host.example/a.git"},
        {"url": "git@host.example:a.git"},
        {"tokens_count": 3},
        {"include": ["**/*.md"], "depth": 3, "follow": False},
    ],
)
def test_what_only_sounds_like_a_secret_is_kept(config: dict[str, Any]) -> None:
    assert check(replace(ENDPOINT, config=config)).config == config


@pytest.mark.parametrize(
    "config",
    [
        {"a": "\0"},
        {"a": "\ud800"},
        {"a": 2**64},
        {"a": float("nan")},
        {"a": b"x"},
        {1: 2},
        {"a": "x" * 70_000},
        [],
        None,
    ],
)
def test_a_configuration_that_cannot_be_stored_is_refused(config: Any) -> None:
    refused(config=config)


def test_filters_follow_from_connector_and_configuration_alone() -> None:
    config = {"url": "/srv/handbook", "include": ["a", "b"]}
    same = replace(ENDPOINT, config=dict(reversed(config.items())), schedule="1h", version=7, endpoint_id="other")

    assert same.filters == replace(ENDPOINT, config=config).filters
    assert same.filters != replace(same, connector="files").filters
    assert same.filters != replace(same, config=config | {"include": ["b", "a"]}).filters
    assert same.filters != replace(same, config={"url": "/srv/handbook"}).filters


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(config=st.dictionaries(st.text(), JSON, max_size=4))
def test_any_configuration_is_kept_as_it_is_or_refused(config: dict[str, Any]) -> None:
    try:
        kept = check(replace(ENDPOINT, config=config))
    except ValidationFailure:
        return
    assert json.loads(json.dumps(kept.config)) == config
    assert len(kept.filters) == 16
