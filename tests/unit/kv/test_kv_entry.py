"""What an envelope may say about a value."""

from datetime import UTC, datetime
from typing import Any

import pytest

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.kv import Envelope, Purpose, Semantics, Stale, Writer
from windrow.kv.write import Write

KEY = Key.of(Scope("acme", "main"), "harvest", "github", "cursor")
CURSOR = Semantics(Purpose.CURSOR, "harvester", ("subscriber",), 60)


@pytest.mark.req("KV-2")
def test_an_envelope_as_json_has_every_field_by_its_name() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    envelope = Envelope(
        key=KEY,
        value={"a": 1},
        version=3,
        last_writer="harvester:github",
        semantics=CURSOR,
        request_id="r-1",
        spec_ref="harvest@2",
        updated_at=moment,
        expires_at=None,
    )

    assert envelope.document() == {
        "key": "tenant/acme/project/main/harvest/github/cursor",
        "value": {"a": 1},
        "version": 3,
        "last_writer": "harvester:github",
        "semantics": {
            "purpose": "cursor",
            "producer": "harvester",
            "consumer_hints": ["subscriber"],
            "ttl_seconds": 60,
        },
        "request_id": "r-1",
        "spec_ref": "harvest@2",
        "updated_at": "2026-01-02T00:00:00+00:00",
        "expires_at": None,
    }


@pytest.mark.req("KV-2")
def test_the_purposes_are_these_six() -> None:
    assert {str(purpose) for purpose in Purpose} == {
        "checkpoint",
        "cursor",
        "feature_flag",
        "lock",
        "annotation",
        "latch",
    }


@pytest.mark.parametrize(
    ("agent", "directive"),
    [("", "x"), ("harvester", ""), ("Harvester", "x"), ("a:b", "x"), ("a", "x\ny"), ("a b", "x")],
)
@pytest.mark.req("KV-2")
def test_a_writer_is_an_agent_and_a_directive(agent: str, directive: str) -> None:
    with pytest.raises(ValidationFailure, match="<agent>:<directive>"):
        Writer(agent, directive)


@pytest.mark.parametrize("seconds", [0, -1, 10**12, 1.5])
def test_a_time_to_live_is_whole_seconds_up_to_ten_years(seconds: Any) -> None:
    with pytest.raises(ValidationFailure, match="time to live"):
        Semantics(Purpose.LATCH, "x", ttl_seconds=seconds)


@pytest.mark.parametrize("producer", ["", "x" * 201, "a\0b", "a\nb", "\ud800"])
def test_a_producer_is_a_short_printable_text(producer: str) -> None:
    with pytest.raises(ValidationFailure, match="producer"):
        Semantics(Purpose.LATCH, producer)


def test_there_are_not_too_many_hints() -> None:
    with pytest.raises(ValidationFailure, match="hints"):
        Semantics(Purpose.LATCH, "x", tuple("abcdefghijklmnopq"))


def write(**changes: Any) -> Write:
    fields: dict[str, Any] = {
        "key": KEY,
        "value": None,
        "expected_version": 1,
        "request_id": "r",
        "semantics": None,
        "writer": Writer("a", "b"),
        "spec_ref": None,
        "actor": None,
    }
    return Write(**fields | changes)


@pytest.mark.parametrize("changes", [{"request_id": ""}, {"request_id": "a\0"}, {"spec_ref": "x" * 201}])
def test_ids_are_short_printable_texts(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure, match="200 printable characters"):
        write(**changes)


@pytest.mark.parametrize("version", [-1, 0, 2**63])
def test_a_deletion_names_the_version_that_it_deletes(version: int) -> None:
    with pytest.raises(ValidationFailure, match="expected version"):
        write(expected_version=version)


def test_a_stale_answer_becomes_a_conflict_that_names_key_and_version() -> None:
    assert str(Stale(4, None).conflict(KEY)).endswith("cursor is at version 4, not at the one expected")
    assert str(Stale(0, None).conflict(KEY)).endswith("cursor is not there")
