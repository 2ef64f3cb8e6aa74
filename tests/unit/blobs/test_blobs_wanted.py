"""What may be asked for, and what bytes are counted as."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.blobs import Blob, State, Wanted, places
from windrow.blobs.measure import Measure
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope

ID = UUID("00000000-0000-4000-8000-000000000001")
BLOB = Blob(
    tenant_id="acme",
    blob_id=ID,
    project_id="main",
    item_id=ID,
    state=State.REQUESTED,
    media_type="text/plain",
    name=None,
    announced_size=None,
    announced_sha256=None,
    key=None,
    size=None,
    sha256=None,
    requested_by="anna",
    requested_at=datetime(2026, 1, 1, tzinfo=UTC),
    expires_at=datetime(2026, 1, 1, tzinfo=UTC),
    uploaded_at=None,
    linked_at=None,
)


def wanted(**more: Any) -> Wanted:
    return Wanted(**{"scope": Scope("acme", "main"), "item_id": ID, "media_type": "text/plain", **more})


@pytest.mark.parametrize("name", ["a", "größe.txt", "a b (1).tar.gz", "文書.pdf", "x" * 255])
def test_a_name_may_be_any_that_a_file_has(name: str) -> None:
    assert wanted(name=name).name == name


@pytest.mark.parametrize("name", ["", "x" * 256, "a/b", "a\\b", "a\0", "a\nb", "a\x7f", "\u202eexe", "\ud800"])
def test_a_name_that_is_a_path_or_misleads_is_refused(name: str) -> None:
    with pytest.raises(ValidationFailure) as refused:
        wanted(name=name)

    assert refused.value.code is Code.INVALID_VALUE


@pytest.mark.parametrize("more", [{"size": -1}, {"sha256": "A" * 64}, {"sha256": "a" * 63}, {"media_type": "a\r\nb/c"}])
def test_what_cannot_be_true_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure):
        wanted(**more)


@given(st.lists(st.binary(max_size=300_000), max_size=6))
async def test_bytes_come_through_unchanged_in_larger_pieces(chunks: list[bytes]) -> None:
    measure = Measure(10_000_000)

    through = [piece async for piece in measure.pieces(given_in(chunks))]

    assert b"".join(through) == b"".join(chunks)
    assert measure.ended(BLOB).size == sum(map(len, chunks))


@given(st.integers(0, 3000))
async def test_one_byte_too_many_is_too_many(size: int) -> None:
    data = [b"x" * 1000, b"x" * 1000]
    if size < 2000:
        with pytest.raises(ValidationFailure) as refused:
            [_ async for _ in Measure(size).pieces(given_in(data))]
        assert refused.value.code is Code.TOO_LARGE
    else:
        assert [_ async for _ in Measure(size).pieces(given_in(data))]


def test_a_key_names_its_blob_in_one_spelling_only() -> None:
    assert places.blob_awaited_at(places.incoming(ID)) == ID
    assert places.blob_at(places.new_attempt(BLOB)) == ID
    for odd in (f"uploads/{ID.hex}", f"uploads/{{{ID}}}", f"uploads/{str(ID).upper()}x", f"other/{ID}", "uploads/", ""):
        assert places.blob_awaited_at(odd) is None
    for odd in (f"blobs/{ID}", f"blobs/a/{ID}/b/c", f"uploads/a/{ID}/b", f"blobs/a/{ID.hex}/b"):
        assert places.blob_at(odd) is None


async def given_in(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
