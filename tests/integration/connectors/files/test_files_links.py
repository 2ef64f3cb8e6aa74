"""Links: listed as what they are, followed only when asked to, and never out of what is permitted."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, fill, ids

from windrow.connectors.files.tree import Spot, spot_of


async def test_a_link_is_listed_with_where_it_points_to(reader: Reader, top: Path) -> None:
    fill(top, "a")
    (top / "link").symlink_to("a")
    (top / "nowhere").symlink_to("not\nhere")

    items = await reader.items()

    assert (items["link"].entity_type, items["link"].attributes["target"]) == ("link", "a")
    assert items["nowhere"].attributes["target"] == r"not\x0ahere"
    assert reader.said == []


async def test_links_that_lead_in_a_circle_are_just_links(reader: Reader, top: Path) -> None:
    fill(top, "a/b/")
    (top / "a/b/up").symlink_to("..")
    (top / "self").symlink_to("self")
    (top / "here").symlink_to(".")

    for follow_links in (False, True):
        pages = await reader.pages(follow_links=follow_links)

        assert ids(*pages) == [".", "a", "a/b", "a/b/up", "here", "self"]
        assert pages[-1].whole


async def test_a_link_that_is_followed_is_listed_as_what_it_leads_to(reader: Reader, top: Path) -> None:
    fill(reader.permitted, "elsewhere/book.txt", "elsewhere/shelf/page")
    (top / "book").symlink_to("../elsewhere/book.txt")
    (top / "room").symlink_to(reader.permitted / "elsewhere")

    items = await reader.items(follow_links=True)

    assert list(items) == [".", "book", "room", "room/book.txt", "room/shelf", "room/shelf/page"]
    assert items["book"].entity_type == "file"
    assert items["book"].attributes["target"] == "../elsewhere/book.txt"
    assert items["book"].attributes["sha256"] == items["room/book.txt"].attributes["sha256"]
    assert items["room"].entity_type == "directory"


async def test_a_listing_resumes_behind_a_link(reader: Reader, top: Path) -> None:
    fill(reader.permitted, "elsewhere/a", "elsewhere/b/c", "elsewhere/d")
    fill(top, "z")
    (top / "room").symlink_to("../elsewhere")
    pages = await reader.pages(size=1, follow_links=True)

    for place, page in enumerate(pages[:-1], 1):
        assert await reader.ids(page.cursor, follow_links=True) == ids(*pages[place:])


@pytest.mark.parametrize("way", ["/etc/passwd", "/etc", "../../..", "through/passwd"])
async def test_a_link_out_of_what_is_permitted_is_never_followed(reader: Reader, top: Path, way: str) -> None:
    (reader.permitted / "top/through").symlink_to("/etc")
    (top / "out").symlink_to(way)

    items = await reader.items(follow_links=True)

    assert list(items) == [".", "out", "through"]
    assert items["out"].entity_type == "link"
    assert ("out", "it leads out of what may be read") in reader.said


async def test_links_behind_links_stay_links_so_that_no_tree_is_endless(reader: Reader, top: Path) -> None:
    for number in range(30):
        fill(reader.permitted, f"maze/{number}/")
        (reader.permitted / f"maze/{number}/left").symlink_to(f"../{number + 1}")
        (reader.permitted / f"maze/{number}/right").symlink_to(f"../{number + 1}")
    (top / "in").symlink_to("../maze/0")

    assert await reader.ids(follow_links=True) == [".", "in", "in/left", "in/right"]


async def test_a_link_to_a_directory_above_does_not_bring_the_tree_into_itself(reader: Reader, top: Path) -> None:
    fill(top, "a")
    (top / "up").symlink_to("..")

    pages = await reader.pages(follow_links=True)

    assert ids(*pages) == [".", "a", "up", "up/top"]
    assert pages[-1].whole
    assert reader.said == [("up/top", "it is one of the directories that it is in")]


async def test_a_bind_mount_of_a_directory_above_is_not_entered(reader: Reader, top: Path, tmp_path: Path) -> None:
    """In a mount namespace of its own, which is gone with its process."""
    fill(top, "a/b/", "a/c")
    script = tmp_path / "list.py"
    script.write_text(
        "import asyncio, json, subprocess, sys\n"
        "from pathlib import Path\n"
        "from tests.integration.connectors.files.conftest import Reader, ids\n"
        "top = Path(sys.argv[1])\n"
        "subprocess.run(['mount', '--bind', top, top / 'a/b'], check=True)\n"
        "reader = Reader(top, top.parent)\n"
        "pages = asyncio.run(reader.pages())\n"
        "print(json.dumps([ids(*pages), pages[-1].whole, reader.said]))\n"
    )
    root = Path(__file__).parents[4]
    ran = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
        ["unshare", "--mount", sys.executable, str(script), str(top)],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    if "permitted" in ran.stderr.lower() or "permission" in ran.stderr.lower():
        pytest.skip("needs the right to mount")

    listed, whole, said = json.loads(ran.stdout)
    assert listed == [".", "a", "a/b", "a/c"]
    assert whole
    assert said == [["a/b", "it is one of the directories that it is in"]]


def test_a_place_is_reached_without_following_a_link(tmp_path: Path) -> None:
    fill(tmp_path, "real/file", "real/folder/x")
    (tmp_path / "link").symlink_to("real")

    with pytest.raises(OSError), spot_of(bytes(tmp_path / "link/file")):
        pass
    with spot_of(bytes(tmp_path / "link")) as spot:
        with pytest.raises(OSError) as refused:
            spot.open_folder()
        assert refused.value.errno in (errno.ENOTDIR, errno.ELOOP)
        with pytest.raises(OSError), spot.opened_file():
            pass


async def test_a_file_that_is_swapped_for_a_link_before_it_is_looked_at_is_listed_as_a_link(
    reader: Reader, top: Path
) -> None:
    fill(top, "a", "b", "c")
    pages = reader.connector().fetch_pages(None, 2)
    first = await anext(pages)
    (top / "b").unlink()
    (top / "b").symlink_to("/etc/passwd")

    rest = [page async for page in pages]

    assert ids(first, *rest) == [".", "a", "b", "c"]
    assert rest[0].records[0]["kind"] == "link"


async def test_swapping_as_fast_as_one_can_never_shows_what_is_outside(reader: Reader, top: Path) -> None:
    """A thread changes a file and a directory for links to the outside, again and again, while we list."""
    fill(reader.permitted, "outside/secret", "outside-file")
    fill(top, "file", "folder/inside")
    reader.permitted = top
    (top / "link").symlink_to(top.parent / "outside-file")
    (top / "way").symlink_to(top.parent / "outside")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for one, other in (("file", "link"), ("folder", "way")):
                (top / one).rename(top / "third")
                (top / other).rename(top / one)
                (top / "third").rename(top / other)

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[tuple[str, str]] = set()
    try:
        for round_number in range(150):
            for page in await reader.pages(follow_links=bool(round_number % 2)):
                seen |= {(record["id"], record.get("sha256", "")) for record in page.records}
    finally:
        over.set()
        thread.join()

    names = {name for name, _ in seen}
    assert names <= {
        ".",
        "file",
        "link",
        "third",
        *(f"{folder}{rest}" for folder in ("folder", "way", "third") for rest in ("", "/inside")),
    }
    hashes = {digest for _, digest in seen if digest}
    assert len(hashes) <= 2


def test_a_spot_tells_a_link_as_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    folder = os.open(tmp_path, os.O_RDONLY)

    assert Spot(folder, b"link").target() == b"/etc"
    os.close(folder)
