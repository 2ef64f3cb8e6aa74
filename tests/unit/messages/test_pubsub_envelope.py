"""A message of ours as Pub/Sub takes it: within its limits, or refused for good."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, ValidationFailure
from windrow.messages import Message
from windrow.messages.content import LONGEST_KEY
from windrow.messages.pubsub.envelope import sealed

ID = UUID("6d0f2bd6-4a8e-4c39-93a0-0d6d6a3a3c11")


def message(**terms: Any) -> Message:
    said: dict[str, Any] = {
        "tenant_id": "acme",
        "topic": "work",
        "message_id": ID,
        "key": "k",
        "payload": {},
        "attributes": {},
        "published_at": datetime.now(UTC),
    }
    return Message(**said | terms)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
values = st.text(st.characters(exclude_categories=["Cs"]), max_size=1100)


@settings(max_examples=40)
@given(key=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=LONGEST_KEY))
def test_any_key_is_an_ordering_key_that_pubsub_takes_and_no_other_keys(key: str) -> None:
    own = sealed(message(key=key)).ordering_key

    assert 0 < len(own.encode()) <= 1024
    assert sealed(message(key=key)).ordering_key == own
    assert sealed(message(key=f"{key}."[-LONGEST_KEY:])).ordering_key != own
    assert sealed(message(key=key, tenant_id="other")).ordering_key != own


@settings(max_examples=40)
@given(attributes=st.dictionaries(names, values, max_size=8))
def test_whatever_is_not_refused_is_within_pubsubs_limits(attributes: dict[str, str]) -> None:
    with suppress(ValidationFailure):
        envelope = sealed(message(attributes=attributes))

        assert all(0 < len(name.encode()) <= 256 and not name.startswith("goog") for name in envelope.attributes)
        assert all(len(value.encode()) <= 1024 for value in envelope.attributes.values())


def test_a_message_without_a_key_of_its_own_has_no_ordering_key() -> None:
    assert sealed(message(key=str(ID))).ordering_key == ""


def test_ten_megabytes_are_more_than_pubsub_carries() -> None:
    with pytest.raises(ValidationFailure) as refusal:
        sealed(message(payload="x" * 10_000_000))

    assert refusal.value.code is Code.TOO_LARGE


def test_a_publishers_own_correlation_goes_before_that_of_its_surroundings() -> None:
    attributes = {"correlation_id": "around", "correlationId": "own"}

    assert sealed(message(attributes=attributes)).attributes["correlationId"] == "own"


def test_nobody_passes_for_another_tenant() -> None:
    forged = {"tenantId": "victim", "messageId": "1", "topic": "other"}

    assert dict(sealed(message(attributes=forged)).attributes) == {
        "tenantId": "acme",
        "messageId": str(ID),
        "topic": "work",
    }
