"""What is in a file, as a hash of a content that stood still while it was read."""

import hashlib
import os
import stat
from collections.abc import Generator
from dataclasses import dataclass

from windrow.connectors.files.config import Hash
from windrow.connectors.files.tree import CHANGED, OURS, Spot, in_words

# how much of the beginning and of the end `fast` reads
SAMPLE = 64 * 1024
_PIECE = 1024 * 1024
_TRIES = 3


class Changed(Exception):
    """It is not the file any more that it was a moment ago."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was when it was read: its status, the hash by its name, and why there is none if it cannot be read."""

    status: os.stat_result
    hashes: dict[str, str]
    unread: str | None = None


def content(spot: Spot, status: os.stat_result, how: Hash, limit: int | None) -> Generator[None, None, Content]:
    """Read a regular file; pauses after each piece, so that a large one can be left between two of them."""
    if how is Hash.NONE or (limit is not None and status.st_size > limit):
        return Content(status, {})
    if status.st_size == 0:
        # nothing to read; and what the kernel shows as a file without a size may never end
        return Content(status, _named(how, hashlib.sha256(_size(how, 0))))
    for _ in range(_TRIES):
        try:
            with spot.opened_file() as file:
                status = _regular(file)
                if limit is not None and status.st_size > limit:
                    return Content(status, {})
                found = yield from _digest(file, status.st_size, how)
                if found is not None and _mark(os.fstat(file)) == _mark(status):
                    return Content(status, _named(how, found))
        except OSError as error:
            if error.errno in CHANGED:
                raise Changed from error
            if isinstance(error, FileNotFoundError) or error.errno in OURS:
                raise
            return Content(status, {}, unread=in_words(error))
    return Content(status, {}, unread="it changed whenever it was read")


def _digest(file: int, size: int, how: Hash) -> Generator[None, None, "hashlib._Hash | None"]:
    """The hash of what there is to read; None if the file ends before its size says so."""
    digest = hashlib.sha256(_size(how, size))
    for start, end in _ranges(size, how):
        while start < end:
            piece = os.pread(file, min(_PIECE, end - start), start)
            if not piece:
                return None
            digest.update(piece)
            start += len(piece)
            yield
    return digest


def _ranges(size: int, how: Hash) -> list[tuple[int, int]]:
    if how is Hash.FULL or size <= 2 * SAMPLE:
        return [(0, size)]
    return [(0, SAMPLE), (size - SAMPLE, size)]


def _size(how: Hash, size: int) -> bytes:
    # two files alike at both ends differ at least by their size
    return b"" if how is Hash.FULL else size.to_bytes(8, "big")


def _named(how: Hash, digest: "hashlib._Hash") -> dict[str, str]:
    return {"sha256" if how is Hash.FULL else "sample_sha256": digest.hexdigest()}


def _regular(file: int) -> os.stat_result:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise Changed
    return status


def _mark(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
