"""What cannot be read: it is told, the rest goes on, and nothing is taken for deleted."""

import errno
import os
import shutil
import socket
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, clear, fill, ids, unprivileged

from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError

DENIED = os.strerror(errno.EACCES)


async def test_a_file_that_may_not_be_read_is_listed_without_its_hash(open_reader: Reader) -> None:
    fill(open_reader.top, "a", "b", "c")
    (open_reader.top / "b").chmod(0)

    with unprivileged():
        pages = await open_reader.pages()
        items = await open_reader.items()

    assert ids(*pages) == [".", "a", "b", "c"]
    assert items["b"].attributes["unread"] == DENIED
    assert "sha256" not in items["b"].attributes
    assert pages[-1].whole
    assert ("b", DENIED) in open_reader.said


async def test_a_directory_that_may_not_be_read_is_listed_and_the_listing_is_not_whole(open_reader: Reader) -> None:
    fill(open_reader.top, "a", "locked/secret", "z")
    (open_reader.top / "locked").chmod(0o311)

    with unprivileged():
        pages = await open_reader.pages()

    assert ids(*pages) == [".", "a", "locked", "z"]
    assert pages[-1].last
    assert not pages[-1].whole
    assert open_reader.said == [("locked", DENIED)]


async def test_a_slice_that_goes_on_behind_what_was_missed_knows_of_it(open_reader: Reader) -> None:
    fill(open_reader.top, "a", "locked/secret", "y", "z")
    (open_reader.top / "locked").chmod(0)

    with unprivileged():
        pages = await open_reader.pages(size=1)
        at_y = pages[ids(*pages).index("y")].cursor
        rest = await open_reader.pages(at_y)
        (open_reader.top / "locked").stat()

    assert ids(*rest) == ["z"]
    assert not rest[-1].whole


async def test_the_pass_after_a_partial_one_is_whole_again(open_reader: Reader) -> None:
    fill(open_reader.top, "locked/secret")
    (open_reader.top / "locked").chmod(0)
    with unprivileged():
        partial = await open_reader.pages()
    (open_reader.top / "locked").chmod(0o755)

    pages = await open_reader.pages(partial[-1].cursor)

    assert ids(*pages) == [".", "locked", "locked/secret"]
    assert pages[-1].whole


async def test_names_that_cannot_be_looked_at_are_not_listed_and_not_taken_for_deleted(open_reader: Reader) -> None:
    fill(open_reader.top, "dim/a", "dim/b")
    (open_reader.top / "dim").chmod(0o444)

    with unprivileged():
        pages = await open_reader.pages()

    assert ids(*pages) == [".", "dim"]
    assert not pages[-1].whole
    assert [position for position, _ in open_reader.said] == ["dim/a", "dim/b"]


async def test_what_is_left_out_anyhow_is_not_missed(open_reader: Reader) -> None:
    fill(open_reader.top, "docs/a", "locked/b", "dim/c")
    (open_reader.top / "locked").chmod(0)
    (open_reader.top / "dim").chmod(0o444)

    with unprivileged():
        included = await open_reader.pages(include=("docs/**",))
        excluded = await open_reader.pages(exclude=("locked", "dim/*"))

    assert included[-1].whole
    assert excluded[-1].whole
    assert open_reader.said == []


async def test_a_tree_full_of_trouble_does_not_fill_the_log(open_reader: Reader) -> None:
    fill(open_reader.top, *(f"dim/{number}" for number in range(300)))
    (open_reader.top / "dim").chmod(0o444)

    with unprivileged():
        await open_reader.pages()

    assert len(open_reader.said) == 101
    assert "others are not told" in open_reader.said[-1][1]


async def test_pipes_sockets_and_devices_are_listed_and_never_opened(reader: Reader, top: Path) -> None:
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(top / "socket"))
        if os.geteuid() == 0:
            # a device that nobody is behind: to open it would fail
            os.mknod(top / "device", 0o20644, os.makedev(4095, 4095))

        items = await reader.items()

    kinds = {name: (one.entity_type, one.attributes.get("kind")) for name, one in items.items()}
    assert kinds["pipe"] == ("special", "fifo")
    assert kinds["socket"] == ("special", "socket")
    assert kinds.get("device", ("special", "character device")) == ("special", "character device")
    assert reader.said == []


async def test_what_vanishes_while_it_is_listed_is_not_listed(reader: Reader, top: Path) -> None:
    fill(top, "a", "b", "c/d", "e")
    pages = reader.connector().fetch_pages(None, 2)
    first = await anext(pages)
    (top / "b").unlink()
    shutil.rmtree(top / "c")

    rest = [page async for page in pages]

    assert ids(first, *rest) == [".", "a", "e"]
    assert rest[-1].whole
    assert reader.said == []


async def test_a_root_that_is_missing_ends_the_run(reader: Reader, top: Path) -> None:
    reader.top.rmdir()

    for act in (reader.pages(), reader.connector().prepare()):
        with pytest.raises(Fatal) as refused:
            await act
        assert refused.value.code is Code.NOT_FOUND


async def test_a_root_that_is_a_file_ends_the_run(reader: Reader, top: Path) -> None:
    reader.top.rmdir()
    reader.top.write_text("a file")

    with pytest.raises(Fatal, match="is not a directory"):
        await reader.pages()


async def test_a_root_whose_links_lead_in_a_circle_ends_the_run(reader: Reader, top: Path) -> None:
    reader.top.rmdir()
    reader.top.symlink_to("other")
    (top.parent / "other").symlink_to("top")

    with pytest.raises(WindrowError):
        await reader.pages()


async def test_a_root_that_may_not_be_read_ends_the_run(open_reader: Reader) -> None:
    fill(open_reader.top, "a")
    open_reader.top.chmod(0o311)

    with unprivileged(), pytest.raises(Fatal) as refused:
        await open_reader.pages()

    assert refused.value.code is Code.FORBIDDEN


async def test_a_root_outside_of_what_the_operator_allows_is_refused(reader: Reader, top: Path) -> None:
    (top / "way-out").symlink_to("/etc")

    for path in ("/etc", f"{top}/../..", f"{top}/way-out"):
        with pytest.raises(Fatal) as refused:
            await reader.pages(path=path)
        assert refused.value.code is Code.FORBIDDEN


async def test_a_root_that_was_full_and_is_empty_is_taken_for_a_missing_mount(reader: Reader, top: Path) -> None:
    fill(top, "a", "b")
    full = await reader.pages()
    clear(top)

    with pytest.raises(RetryableTransient, match="held 2 entries") as refused:
        await reader.pages(full[-1].cursor)

    assert refused.value.code is Code.STORAGE_UNAVAILABLE
    assert ".keep" in (refused.value.hint or "")


async def test_a_root_that_is_meant_to_be_empty_holds_any_file(reader: Reader, top: Path) -> None:
    fill(top, "a", "b")
    full = await reader.pages()
    clear(top)
    (top / ".keep").touch()

    pages = await reader.pages(full[-1].cursor, hidden=False)

    assert ids(*pages) == ["."]
    assert pages[-1].whole


async def test_a_root_that_was_empty_before_may_be_empty(reader: Reader) -> None:
    first = await reader.pages()
    second = await reader.pages(first[-1].cursor)

    assert ids(*second) == ["."]
    assert second[0].opens
    assert second[0].whole


async def test_a_root_that_another_directory_replaced_during_a_pass_makes_it_partial(reader: Reader, top: Path) -> None:
    fill(top, "a", "b", "c")
    pages = await reader.pages(size=2)
    reader.top.rename(top.parent / "unmounted")
    reader.top.mkdir()

    rest = await reader.pages(pages[0].cursor)

    assert ids(*rest) == []
    assert rest[-1].last
    assert not rest[-1].whole
    assert reader.said[0][0] == "."
