"""Fingerprints: equal values have equal ones, and nothing can be learned from one."""

import hashlib
import re

import pytest

from windrow.kv import Fingerprints
from windrow.kv.value import canonical

OURS = Fingerprints(b"one secret of thirty-two bytes ..")
THEIRS = Fingerprints(b"another secret of thirty-two byte")


@pytest.mark.req("KV-10")
def test_equal_values_have_equal_fingerprints_in_any_key_order() -> None:
    assert OURS.of({"a": 1, "b": 2}) == OURS.of({"b": 2, "a": 1})


@pytest.mark.req("KV-10")
def test_different_values_have_different_fingerprints() -> None:
    assert len({OURS.of(number) for number in range(1000)}) == 1000


@pytest.mark.req("KV-10")
def test_a_fingerprint_is_short_and_shows_no_part_of_the_value() -> None:
    fingerprint = OURS.of({"cursor_token": "deadbeef"})

    assert re.fullmatch(r"fp:[0-9a-f]{12}", fingerprint)
    assert "deadbeef" not in fingerprint


@pytest.mark.req("KV-10")
def test_a_short_token_cannot_be_found_by_trying_all_without_the_secret() -> None:
    shown = OURS.of("7")
    tried = {THEIRS.of(str(number)) for number in range(100)}
    tried |= {f"fp:{hashlib.sha256(canonical(str(number)).text.encode()).hexdigest()[:12]}" for number in range(100)}

    assert shown not in tried
