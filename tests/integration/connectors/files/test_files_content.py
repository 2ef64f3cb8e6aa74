"""Hashes: of a content that stood still, within bounds, and never of what is no file."""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, fill

from windrow.connectors.files.config import Hash
from windrow.connectors.files.content import SAMPLE, Changed, Content, content
from windrow.connectors.files.tree import Spot

MIB = 1024 * 1024


async def test_the_hash_is_of_all_the_content(reader: Reader, top: Path) -> None:
    (top / "big").write_bytes(os.urandom(3 * MIB + 17))
    (top / "empty").touch()

    items = await reader.items()

    assert items["big"].attributes["sha256"] == hashlib.sha256((top / "big").read_bytes()).hexdigest()
    assert items["empty"].attributes["sha256"] == hashlib.sha256().hexdigest()


async def test_without_hashes_no_content_is_read(reader: Reader, top: Path) -> None:
    fill(top, "a")

    attributes = (await reader.items(hash="none"))["a"].attributes

    assert {"sha256", "sample_sha256"}.isdisjoint(attributes)
    assert attributes["size"] == 1


async def test_a_fast_hash_sees_both_ends_and_the_size(reader: Reader, top: Path) -> None:
    middle = bytearray(os.urandom(4 * SAMPLE))
    variants = {"one": bytes(middle), "longer": bytes(middle[: 2 * SAMPLE] + b"x" + middle[2 * SAMPLE :])}
    middle[2 * SAMPLE] ^= 1
    variants["other middle"] = bytes(middle)
    middle[-1] ^= 1
    variants["other end"] = bytes(middle)
    for name, data in variants.items():
        (top / name).write_bytes(data)

    hashes = {name: one.attributes.get("sample_sha256") for name, one in (await reader.items(hash="fast")).items()}

    assert hashes["one"] == hashes["other middle"]
    assert len({hashes["one"], hashes["longer"], hashes["other end"]}) == 3


async def test_a_file_above_the_limit_is_known_by_size_and_time(reader: Reader, top: Path) -> None:
    fill(top, "12345", "123456")

    items = await reader.items(hash_limit=5)

    assert "sha256" in items["12345"].attributes
    assert "sha256" not in items["123456"].attributes
    assert items["123456"].attributes["size"] == 6
    assert reader.said == []


async def test_a_sparse_file_of_any_size_takes_no_time(reader: Reader, top: Path) -> None:
    with (top / "sparse").open("wb") as file:
        os.truncate(file.fileno(), 1 << 42)

    full = (await reader.items())["sparse"].attributes
    fast = (await reader.items(hash="fast", hash_limit=None))["sparse"].attributes

    assert full["size"] == 1 << 42
    assert "sha256" not in full
    assert "sample_sha256" in fast


def driven(path: Path, between: Callable[[], None], how: Hash = Hash.FULL, limit: int | None = None) -> Content:
    """Read a file; `between` is called after each piece."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        spot = Spot(folder, path.name.encode())
        reading = content(spot, spot.status(), how, limit)
        while True:
            try:
                next(reading)
            except StopIteration as over:
                return over.value  # type: ignore[no-any-return]
            between()
    finally:
        os.close(folder)


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a" * 2 * MIB)
    changes = [b"b" * 2 * MIB]

    read = driven(file, lambda: changes and file.write_bytes(changes.pop()))  # type: ignore[func-returns-value, return-value]

    assert read.unread is None
    assert read.hashes == {"sha256": hashlib.sha256(b"b" * 2 * MIB).hexdigest()}
    assert read.status.st_mtime_ns == file.stat().st_mtime_ns


def test_a_file_that_never_stands_still_has_no_hash_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"a")

    def grow() -> None:
        with file.open("ab") as log:
            log.write(b"a")

    read = driven(file, grow)

    assert read.hashes == {}
    assert read.unread == "it changed whenever it was read"


def test_a_file_that_is_cut_while_it_is_read_does_not_end_the_listing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a" * 3 * MIB)

    read = driven(file, lambda: os.truncate(file, 1) if file.stat().st_size > 1 else None)

    assert read.hashes == {"sha256": hashlib.sha256(b"a").hexdigest()}


@pytest.mark.parametrize("become", ["link", "pipe", "folder", "device"])
def test_a_file_that_becomes_something_else_before_it_is_opened_is_not_read(tmp_path: Path, become: str) -> None:
    file = tmp_path / "file"
    file.write_text("a")
    folder = os.open(tmp_path, os.O_RDONLY)
    spot = Spot(folder, b"file")
    status = spot.status()
    file.unlink()
    match become:
        case "link":
            file.symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "device":
            with suppress(PermissionError):
                os.mknod(file, 0o20644, os.makedev(1, 3))

    with pytest.raises((Changed, FileNotFoundError)):
        next(content(spot, status, Hash.FULL, None))
    os.close(folder)


async def test_what_the_kernel_shows_as_files_is_not_read(reader: Reader) -> None:
    reader.permitted = Path("/proc")

    items = await reader.items(path="/proc/self/net", max_depth=1)

    assert {one.attributes["sha256"] for one in items.values() if one.entity_type == "file"} == {
        hashlib.sha256().hexdigest()
    }
