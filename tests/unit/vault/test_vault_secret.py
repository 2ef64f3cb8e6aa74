"""A secret can be used, and in no way shown."""

import copy
import dataclasses
import json
import logging
import marshal
import pickle
import pprint
import traceback
from collections.abc import Callable
from typing import Any

import msgspec
import pydantic
import pytest
from prometheus_client import REGISTRY, generate_latest
from temporalio.converter import DataConverter
from tests.conftest import Said, Spans

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import vault
from windrow.telemetry.redaction import PROCESS, REDACTED
from windrow.vault import Secret

CANARY = 'kanarie"vogel\\42 ü+/='


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    token: Secret


class Struct(msgspec.Struct):
    token: Any


@dataclasses.dataclass
class Config:
    token: Secret


@pytest.mark.req("HV-40")
@pytest.mark.parametrize(
    "show",
    [
        str,
        repr,
        ascii,
        format,
        pprint.pformat,
        lambda secret: f"{secret}{secret!r}{secret:>30}",
        lambda secret: "%s %r" % (secret, secret),  # noqa: UP031
        lambda secret: f"{[secret]} {Config(secret)} {Model(token=secret)!r} {Struct(secret)}",
        lambda secret: json.dumps({"token": secret}, default=str),
        lambda secret: msgspec.json.encode({"token": secret}, enc_hook=str).decode(),
        lambda secret: str(dataclasses.asdict(Config(secret))),
        lambda secret: str(Model(token=secret).model_dump()),
    ],
)
def test_wherever_it_is_shown_it_is_a_placeholder(show: Callable[[Secret], str]) -> None:
    shown = show(Secret(CANARY))

    assert "[secret]" in shown
    assert "vogel" not in shown


@pytest.mark.req("HV-3", "HV-40")
@pytest.mark.parametrize(
    "serialize",
    [
        pickle.dumps,
        marshal.dumps,
        json.dumps,
        msgspec.json.encode,
        msgspec.msgpack.encode,
        msgspec.to_builtins,
        bytes,
        list,
        dict,
        len,
        vars,
        hash,
        iter,
        lambda secret: "" in secret,
        lambda secret: secret + "",
        lambda secret: secret[0],
        lambda secret: secret < Secret("b"),
        "".join,
        lambda secret: msgspec.json.encode(Struct(secret)),
        lambda secret: Model(token=secret).model_dump_json(),
        lambda secret: json.dumps(secret, default=vars),
        lambda secret: pickle.dumps(Config(secret)),
        lambda secret: secret.__reduce__(),
    ],
)
def test_it_cannot_be_serialized_or_taken_apart(serialize: Callable[[Any], object]) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        serialize(Secret(CANARY))

    assert "vogel" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.req("HV-3")
async def test_it_cannot_enter_a_workflow_history() -> None:
    with pytest.raises((TypeError, RuntimeError)):
        await DataConverter.default.encode([Config(Secret(CANARY))])


def test_a_copy_is_the_secret_itself() -> None:
    secret = Secret(CANARY)

    assert copy.copy(secret) is secret
    assert copy.deepcopy({"nested": [secret]})["nested"][0] is secret


def test_secrets_are_equal_by_value_and_to_nothing_else() -> None:
    assert Secret("one and the same") == Secret("one and the same")
    assert Secret("one") != Secret("other")
    assert Secret("one") != "one"


def test_reveal_gives_the_value() -> None:
    assert Secret(CANARY).reveal() == CANARY


def test_what_is_not_text_is_refused_without_being_repeated() -> None:
    odd = f"{CANARY}\udcff"
    with pytest.raises(ValidationFailure) as raised:
        Secret(odd)

    assert "vogel" not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__context__ is None


@pytest.mark.req("HV-3", "HV-40", "LT-3")
def test_its_value_is_in_no_log_line_even_where_someone_revealed_it(said: Said) -> None:
    revealed = Secret(CANARY).reveal()
    try:
        try:
            raise KeyError(revealed)
        except KeyError as cause:
            raise Fatal(f"the other side refused {revealed}") from cause
    except Fatal as error:
        emit("library.warned", logger="x", message=f"with {revealed}", error=error)
        logging.getLogger("somewhere").warning("%s and %r", revealed, {"inner": revealed}, exc_info=error)
    emit("library.warned", logger="x", message="fields", detail={"deep": [revealed, Secret(CANARY)]}, value=revealed)

    assert len(said.raw) == 3
    assert not [line for line in said.lines if "vogel" in str(line)]
    assert all(REDACTED in str(line) for line in said.lines)


@pytest.mark.req("HV-3", "LT-3")
def test_its_value_is_in_no_span(spans: Spans) -> None:
    revealed = Secret(CANARY).reveal()
    with pytest.raises(ValueError), span("vault.read", credential_ref=f"env:{revealed}") as current:
        current.set_attribute("header", f"Bearer {revealed}")
        current.add_event("sent", {"token": revealed})
        raise ValueError(revealed)

    (finished,) = spans.named("vault.read")
    assert "vogel" not in finished.to_json()


@pytest.mark.req("HV-3")
def test_the_secret_as_a_metric_label_is_the_placeholder() -> None:
    vault.READS.add(1, scheme="env", outcome=str(Secret(CANARY)))

    page = generate_latest(REGISTRY).decode()
    assert "[secret]" in page
    assert "vogel" not in page


def test_it_is_known_to_the_redactor_from_its_first_moment() -> None:
    Secret("a-value-nobody-has-seen-before")

    assert PROCESS.text("x a-value-nobody-has-seen-before y") == f"x {REDACTED} y"
