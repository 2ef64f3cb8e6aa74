"""gzip and deflate, piece by piece."""

import gzip
import zlib
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.http.decoding import PIECE, Decoder, decoder_for


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def two_members(data: bytes) -> bytes:
    return gzip.compress(data[:3]) + gzip.compress(data[3:])


PACKERS = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("gzip", two_members),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("identity", bytes),
    ("", bytes),
]


def decoded(decoder: Decoder, data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [piece for start, end in pairwise(edges) for piece in decoder.feed(data[start:end])]
    decoder.finish()
    return pieces


@pytest.mark.parametrize(("coding", "pack"), PACKERS)
@settings(deadline=None)
@given(data=st.binary(max_size=2000), repeat=st.integers(1, 200), cuts=st.lists(st.integers(0, 4000), max_size=6))
def test_a_body_comes_out_as_it_went_in_however_it_is_cut(
    coding: str, pack: object, data: bytes, repeat: int, cuts: list[int]
) -> None:
    body = data * repeat

    pieces = decoded(decoder_for(coding), pack(body), cuts)  # type: ignore[operator]

    assert b"".join(pieces) == body


@pytest.mark.parametrize(("coding", "pack"), PACKERS[:5])
def test_what_unpacks_large_comes_in_small_pieces(coding: str, pack: object) -> None:
    pieces = decoded(decoder_for(coding), pack(bytes(5_000_000)), [])  # type: ignore[operator]

    assert sum(map(len, pieces)) == 5_000_000
    assert max(map(len, pieces)) <= PIECE


@pytest.mark.parametrize("size", range(PIECE - 2, PIECE + 300, 7))
def test_nothing_is_left_behind_in_the_last_piece(size: int) -> None:
    assert len(b"".join(decoded(decoder_for("deflate"), raw_deflate(bytes(size)), []))) == size


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate)]
)
def test_a_body_cut_short_is_transient(coding: str, pack: object) -> None:
    whole: bytes = pack(b"hello, world" * 100)  # type: ignore[operator]
    for length in range(1, len(whole)):
        with pytest.raises(RetryableTransient) as caught:
            decoded(decoder_for(coding), whole[:length], [])
        assert caught.value.code is Code.NETWORK


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_no_body_at_all_is_an_empty_one(coding: str) -> None:
    assert b"".join(decoded(decoder_for(coding), b"", [])) == b""


def test_padding_after_the_end_is_no_part_of_the_body() -> None:
    assert b"".join(decoded(decoder_for("gzip"), gzip.compress(b"x") + bytes(20), [])) == b"x"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_body_that_is_not_what_it_says_is_invalid(coding: str) -> None:
    with pytest.raises(ValidationFailure) as caught:
        decoded(decoder_for(coding), b"\xff<html>", [])

    assert caught.value.code is Code.INVALID_VALUE


def test_a_million_empty_members_are_refused() -> None:
    with pytest.raises(ValidationFailure) as caught:
        decoded(decoder_for("gzip"), gzip.compress(b"") * 5000, [])

    assert caught.value.code is Code.TOO_LARGE


@pytest.mark.parametrize(
    "coding",
    ["gzip, gzip", "gzip,deflate", "deflate, identity, gzip", "br", "zstd", "compress", "aes128gcm", "gzip;q=1"],
)
def test_codings_in_layers_or_not_asked_for_are_refused(coding: str) -> None:
    with pytest.raises(ValidationFailure) as caught:
        decoder_for(coding)

    assert caught.value.code is Code.CONTENT_TYPE


@settings(deadline=None)
@given(st.sampled_from(["gzip", "deflate"]), st.lists(st.binary(max_size=200), max_size=5))
def test_no_bytes_are_a_crash(coding: str, parts: list[bytes]) -> None:
    decoder = decoder_for(coding)
    try:
        for part in parts:
            list(decoder.feed(part))
        decoder.finish()
    except (ValidationFailure, RetryableTransient):
        pass
