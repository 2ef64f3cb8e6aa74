"""Sealed payloads: opened by their key, and by nothing else."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload

from windrow.contracts.errors import Code, Fatal
from windrow.orchestration.codec import Encryption, Refusal, data_converter, is_sealed, key_id_of
from windrow.orchestration.payload_keys import PayloadKeys, new_key
from windrow.vault import Secret

OLD, NEW = new_key("old", os.urandom), new_key("new", os.urandom)
PLAIN = Payload(metadata={"encoding": b"json/plain"}, data=b'"the price of tea"')


def codec(*words: str) -> Encryption:
    return Encryption(PayloadKeys.parse(Secret(" ".join(words))))


@given(data=st.binary(), metadata=st.dictionaries(st.text(), st.binary(), max_size=3))
async def test_what_is_sealed_is_opened_as_it_was(data: bytes, metadata: dict[str, bytes]) -> None:
    plain = Payload(metadata=metadata, data=data)

    (sealed,) = await codec(NEW).encode([plain])

    assert is_sealed(sealed)
    assert await codec(NEW).decode([sealed]) == [plain]


async def test_a_sealed_payload_shows_neither_its_content_nor_that_two_are_the_same() -> None:
    first, second = await codec(NEW).encode([PLAIN, PLAIN])

    assert b"price of tea" not in first.SerializeToString()
    assert b"json/plain" not in first.SerializeToString()
    assert first.data != second.data
    assert key_id_of(first) == "new"


async def test_after_a_rotation_old_payloads_open_and_new_ones_are_sealed_with_the_new_key() -> None:
    (before,) = await codec(OLD).encode([PLAIN])
    rotated = codec(NEW, OLD)
    (after,) = await rotated.encode([PLAIN])

    assert await rotated.decode([before, after]) == [PLAIN, PLAIN]
    assert [key_id_of(before), key_id_of(after)] == ["old", "new"]


async def test_a_key_that_is_not_known_is_named_with_where_to_put_it() -> None:
    (sealed,) = await codec(OLD).encode([PLAIN])

    for one in (codec(NEW), Refusal()):
        with pytest.raises(Fatal, match="'old'") as caught:
            await one.decode([sealed])
        assert caught.value.code is Code.CREDENTIAL_MISSING
        assert "WINDROW_PAYLOAD_KEY_REF" in str(caught.value.hint)


async def test_another_key_under_the_same_id_does_not_open_it() -> None:
    (sealed,) = await codec(OLD).encode([PLAIN])

    with pytest.raises(Fatal, match="does not open with the payload key 'old'") as caught:
        await codec(new_key("old", os.urandom)).decode([sealed])

    assert caught.value.code is Code.CORRUPTED
    assert caught.value.__cause__ is None


@given(place=st.integers(min_value=0), bit=st.integers(min_value=0, max_value=7), cut=st.booleans())
async def test_a_payload_that_was_altered_does_not_open(place: int, bit: int, cut: bool) -> None:
    (sealed,) = await codec(NEW).encode([PLAIN])
    data = bytearray(sealed.data)
    place %= len(data)
    data[place] ^= 1 << bit
    altered = Payload(metadata=sealed.metadata, data=bytes(data[:place] if cut else data))

    with pytest.raises(Fatal, match="altered"):
        await codec(NEW).decode([altered])


async def test_the_id_of_the_key_is_bound_into_the_seal() -> None:
    same_key = OLD.partition(":")[2]
    (sealed,) = await codec(OLD).encode([PLAIN])
    sealed.metadata["windrow-key-id"] = b"other"

    with pytest.raises(Fatal, match="altered"):
        await codec(f"other:{same_key}").decode([sealed])


async def test_what_is_not_sealed_is_refused_where_there_is_a_key() -> None:
    with pytest.raises(Fatal, match="not sealed") as caught:
        await codec(NEW).decode([PLAIN])

    assert caught.value.code is Code.UNAUTHORIZED
    assert "WINDROW_PAYLOAD_UNSEALED" in str(caught.value.hint)
    assert await Refusal().decode([PLAIN]) == [PLAIN]


async def test_what_was_written_before_there_was_a_key_is_read_on_while_that_is_allowed() -> None:
    moving = Encryption(PayloadKeys.parse(Secret(NEW)), unsealed=True)
    (sealed,) = await moving.encode([PLAIN])

    assert await moving.decode([PLAIN, sealed]) == [PLAIN, PLAIN]
    assert is_sealed(sealed)


async def test_a_failure_is_sealed_with_its_message() -> None:
    from temporalio.api.failure.v1 import Failure

    converter = data_converter(PayloadKeys.parse(Secret(NEW)))
    failure = Failure()
    await converter.encode_failure(RuntimeError("the price of tea"), failure)

    assert b"price of tea" not in failure.SerializeToString()
    assert "the price of tea" in str(await converter.decode_failure(failure))
