"""What is listed, in which order, page by page, and from any cursor."""

import grp
import hashlib
import os
import pwd
import random
import shutil
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, clear, fill, ids

from windrow.connectors.files.config import DEEPEST
from windrow.contracts.item import Relation


async def test_a_file_is_an_item_with_all_that_the_system_says(reader: Reader, top: Path) -> None:
    fill(top, "docs/readme.md")
    os.utime(top / "docs/readme.md", ns=(0, 1_700_000_000_123_456_789))
    (top / "docs/readme.md").chmod(0o640)

    found = (await reader.items())["docs/readme.md"]

    assert (found.entity_type, found.display_name, found.canonical_path) == ("file", "readme.md", "docs/readme.md")
    assert found.owners == (pwd.getpwuid(os.getuid()).pw_name,)
    assert found.source_updated_at
    assert found.source_updated_at.isoformat() == "2023-11-14T22:13:20.123456+00:00"
    assert found.relations == (Relation("parent", "docs"),)
    assert found.attributes == {
        "size": 14,
        "mode": "0640",
        "modified": "1700000000.123456789",
        "group": grp.getgrgid(os.getgid()).gr_name,
        "mime_type": "text/markdown",
        "sha256": hashlib.sha256(b"docs/readme.md").hexdigest(),
    }


async def test_directories_come_before_what_is_in_them_and_names_in_the_order_of_their_bytes(
    reader: Reader, top: Path
) -> None:
    fill(top, "b", "a.b", "a/z", "a/b/c", "B", "ä", "a/b/", "a-")

    assert await reader.ids() == [".", "B", "a", "a/b", "a/b/c", "a/z", "a-", "a.b", "b", "ä"]


async def test_the_top_is_the_parent_of_what_is_in_it(reader: Reader, top: Path) -> None:
    fill(top, "a")

    items = await reader.items()

    assert items["."].relations == ()
    assert items["."].display_name == "top"
    assert items["a"].relations == (Relation("parent", "."),)


async def test_names_that_differ_in_case_only_are_two(reader: Reader, top: Path) -> None:
    fill(top, "Readme", "README", "readme")

    assert await reader.ids() == [".", "README", "Readme", "readme"]


async def test_names_of_any_bytes_are_listed(reader: Reader, top: Path) -> None:
    names = [b"caf\xe9", b"a\nb", b"\x01\x1b[31m", b"\xed\xa0\x80", b"back\\slash", b" ", b"\xff" * 255]
    for name in names:
        (top / os.fsdecode(name)).touch()

    items = await reader.items()

    assert set(items) == {
        ".",
        r"caf\xe9",
        r"a\x0ab",
        r"\x01\x1b[31m",
        r"\xed\xa0\x80",
        r"back\\slash",
        " ",
        r"\xff" * 255,
    }
    assert await reader.ids(size=1) == list(items)


async def test_a_path_that_is_too_long_for_an_id_is_named_by_its_hash(reader: Reader, top: Path) -> None:
    folder = top
    for _ in range(5):
        folder = folder / ("d" * 250)
        folder.mkdir()
    (folder / "file").write_text("deep")

    items = await reader.items(size=1)

    last = items[list(items)[-1]]
    assert len(items) == 7
    assert last.display_name == "file"
    assert "\\#" in last.external_id
    assert len(last.external_id) <= 1024
    assert last.relations[0].target in items


async def test_one_page_opens_the_listing_and_the_last_makes_it_whole(reader: Reader, top: Path) -> None:
    fill(top, *map(str, range(7)))

    pages = await reader.pages(size=3)

    assert [len(page.records) for page in pages] == [3, 3, 2]
    assert [(page.opens, page.last, page.whole) for page in pages] == [
        (True, False, False),
        (False, False, False),
        (False, True, True),
    ]


async def test_no_page_is_empty_only_because_the_last_one_was_full(reader: Reader, top: Path) -> None:
    fill(top, *map(str, range(5)))

    assert [len(page.records) for page in await reader.pages(size=3)] == [3, 3]


async def test_the_cursor_after_the_last_page_begins_the_next_pass(reader: Reader, top: Path) -> None:
    fill(top, "a", "b")
    first = await reader.pages()
    (top / "a").unlink()
    fill(top, "c")

    second = await reader.pages(first[-1].cursor)

    assert ids(*second) == [".", "b", "c"]
    assert second[0].opens
    assert second[-1].whole
    assert second[-1].cursor["pass"] == 3


@pytest.fixture
def forest(top: Path) -> list[str]:
    fill(
        top,
        *(f"{a}/{b}/{c}.txt" for a in ("a", "a-", "ä") for b in ("x", "y.z") for c in range(3)),
        "empty/",
        "b",
        "z/",
    )
    return sorted(str(path.relative_to(top)) for path in top.rglob("*"))


async def test_from_every_cursor_the_rest_follows(reader: Reader, forest: list[str]) -> None:
    pages = await reader.pages(size=1)
    everything = ids(*pages)

    assert sorted(everything[1:]) == forest
    for place, page in enumerate(pages[:-1], 1):
        assert await reader.ids(page.cursor, size=4) == everything[place:]


def some_tree(chosen: random.Random) -> set[str]:
    """Paths of files, and of the directories that hold them."""
    names = ["a", "a-", "b", "b.", "ä"]
    files: set[str] = set()
    for _ in range(chosen.randrange(12)):
        path = "/".join(chosen.choices(names, k=chosen.randint(1, 3)))
        # nothing is a file and a directory
        if not any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in files):
            files.add(path)
    return files


def with_folders(files: set[str]) -> list[str]:
    paths = files | {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    return sorted(paths, key=lambda path: path.encode().split(b"/"))


@pytest.mark.campaign
async def test_the_rest_is_found_whatever_came_and_went_in_between(reader: Reader, top: Path, seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(40):
        fill(top, *some_tree(chosen))
        page = chosen.choice((await reader.pages(size=1))[:-1] or [None])
        clear(top)
        if page is None:
            continue
        after = page.records[-1]["id"].encode().split(b"/") if page.records[-1]["id"] != "." else []
        later = some_tree(chosen)
        fill(top, *later)

        rest = await reader.ids(page.cursor, size=chosen.randint(1, 4))

        assert rest == [path for path in with_folders(later) if path.encode().split(b"/") > after]
        clear(top)


async def test_what_was_added_behind_the_cursor_is_listed_and_what_was_added_before_it_waits(
    reader: Reader, top: Path
) -> None:
    fill(top, "a", "c", "e/x", "e/z")
    pages = await reader.pages(size=1)
    at_x = pages[ids(*pages).index("e/x")].cursor
    fill(top, "b", "e/w", "e/y", "f")

    assert await reader.ids(at_x) == ["e/y", "e/z", "f"]


async def test_a_directory_on_the_way_that_became_a_file_ends_there(reader: Reader, top: Path) -> None:
    fill(top, "a/x", "a/y", "b")
    pages = await reader.pages(size=1)
    at_x = pages[ids(*pages).index("a/x")].cursor
    shutil.rmtree(top / "a")
    fill(top, "a")

    assert await reader.ids(at_x) == ["b"]


async def test_an_unchanged_tree_is_told_in_the_same_words(reader: Reader, forest: list[str]) -> None:
    assert await reader.items() == await reader.items(size=7)


async def test_a_tree_may_be_as_deep_as_descriptors_reach(reader: Reader, top: Path) -> None:
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(DEEPEST + 3):
        os.mkdir("d" * 20, dir_fd=descriptor)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)

    pages = await reader.pages(size=50)

    assert len(ids(*pages)) == DEEPEST + 1
    assert not pages[-1].whole
    assert [reason for _, reason in reader.said] == [f"it is more than {DEEPEST} levels deep"]
    assert await reader.ids(pages[1].cursor) == ids(*pages[2:])


async def test_max_depth_leaves_out_what_is_deeper_and_is_still_whole(reader: Reader, top: Path) -> None:
    fill(top, "a/b/c/d", "x")

    pages = await reader.pages(max_depth=2)

    assert ids(*pages) == [".", "a", "a/b", "x"]
    assert pages[-1].whole
