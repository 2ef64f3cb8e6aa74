"""Cursors, links and the folders that are filed with them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.onedrive import links
from windrow.connectors.onedrive.archive import Archive
from windrow.connectors.onedrive.cursor import Spot, Way, first, read
from windrow.connectors.onedrive.folders import Chain, Folder, Missing, Tree
from windrow.contracts.errors import ValidationFailure

BASE = "https://graph.microsoft.com/v1.0"
CONFIG = "0123456789abcdef"


def way(*drives: str) -> Way:
    return first(CONFIG, tuple(Spot(each) for each in drives), hour=7)


@settings(max_examples=30, deadline=None)
@given(st.text("abcXYZ019-_~!'()=&%", max_size=60).filter(lambda text: "%" not in text))
def test_what_is_kept_of_a_link_leads_back_to_it(token: str) -> None:
    for link in (f"{BASE}/drives/b!x/root/delta?token={token}", f"{BASE}/drives/x/root/delta(token='{token}')"):
        rest = links.kept(link, BASE)

        assert "graph.microsoft.com" not in rest
        assert links.kept(links.whole(rest, BASE), BASE) == rest


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/v1.0/x",
        "https://graph.microsoft.com.evil.example/v1.0/x",
        "https://graph.microsoft.com@evil.example/v1.0/x",
        "https://graph.microsoft.com:8443/v1.0/x",
        "http://graph.microsoft.com/v1.0/x",
        "https://graph.microsoft.com/v1.0x/y",
        "https://graph.microsoft.com/beta/x",
        "/v1.0/x",
        "",
        f"{BASE}/x?{'y' * 9000}",
    ],
)
def test_a_link_that_is_not_below_base_url_is_refused(link: str) -> None:
    with pytest.raises(ValidationFailure):
        links.kept(link, BASE)


@pytest.mark.parametrize("rest", ["//evil.example/x", "@evil.example/x", "/../../x", ".evil.example/"])
def test_a_cursor_that_somebody_made_up_leads_nowhere_else(rest: str) -> None:
    try:
        made = links.whole(rest, BASE)
    except ValidationFailure:
        return
    assert made.startswith(f"{BASE}/")


@pytest.mark.parametrize(
    "cursor",
    [
        5,
        {},
        {"config": CONFIG, "pass": 1, "drives": []},
        {"config": CONFIG, "pass": 0, "drives": [{"drive": "x"}]},
        {"config": CONFIG, "pass": 1, "drives": [{"drive": "x"}], "at": 1},
        {"config": "../../../etc", "pass": 1, "drives": [{"drive": "x"}]},
        {"config": CONFIG, "pass": 1, "drives": [{"drive": "x"}], "since": "../x"},
        {"config": CONFIG, "pass": 1, "drives": [{"drive": "x"}], "more": 1},
    ],
)
def test_a_cursor_of_another_make_is_refused(cursor: Any) -> None:
    with pytest.raises(ValidationFailure, match="not one of the onedrive connector"):
        read(cursor)


def test_a_way_goes_from_drive_to_drive_and_only_forward() -> None:
    ways = [way("a", "b")]
    ways.append(ways[-1].behind("/1", ended=False))
    ways.append(ways[-1].behind("/2", ended=True))
    ways.append(ways[-1].behind("/3", ended=True))
    ways.append(ways[-1].ended())
    ways.append(ways[-1].again())
    ways.append(ways[-1].anew(8))

    assert [each.at for each in ways] == [0, 0, 1, 2, None, 0, 0]
    assert [each.drives[0].link for each in ways] == [None, "/1", "/2", "/2", "/2", "/2", None]
    assert [each.progress for each in ways] == sorted({each.progress for each in ways})
    assert all(read(each.written()) == each for each in ways if each.at != 2)


def test_a_folder_that_moved_is_told_unless_nothing_was_ever_in_it() -> None:
    tree = Tree()

    assert not tree.put("top", Folder(None, "root"))
    assert not tree.put("a", Folder("top", "a"))
    assert tree.put("a", Folder("top", "b"))
    assert not tree.put("a", Folder("top", "b"))
    assert not tree.put("empty", Folder("top", "x", bare=True))
    assert not tree.put("empty", Folder("top", "y", bare=True))
    tree.hold("empty")
    assert tree.put("empty", Folder("top", "z", bare=True))


def test_a_chain_leads_down_from_the_top_and_says_what_is_missing() -> None:
    tree = Tree({"top": Folder(None, "root"), "a": Folder("top", "A"), "b": Folder("a", "B"), "x": Folder("gone", "X")})

    assert tree.chain("b") == Chain(("top", "a", "b"), ("A", "B"))
    assert tree.chain("x") == Missing("gone")


def test_folders_that_are_in_each_other_end_nowhere() -> None:
    tree = Tree({"a": Folder("b", "A"), "b": Folder("a", "B")})

    assert isinstance(tree.chain("a"), Missing)


def planted(*names: str) -> Tree:
    tree = Tree()
    tree.put("top", Folder(None, "root"))
    for name in names:
        tree.put(name, Folder("top", name))
    return tree


def test_the_folders_of_any_page_that_was_noted_can_be_had_again(tmp_path: Path) -> None:
    archive, tree, begun = Archive(tmp_path), planted(), way("drive")
    archive.begin(begun)
    pages = [begun]
    for name in "abc":
        tree.put(name, Folder("top", name))
        pages.append(pages[-1].behind(f"/{name}", ended=False))
        archive.note(pages[-1], "drive", tree)

    found = archive.load(pages[2])
    beyond = archive.load(pages[3])

    assert found is not None
    assert set(found["drive"].folders) == {"top", "a", "b"}
    assert beyond is None  # it was never published, and is cut off


def test_a_pass_over_changes_begins_with_the_folders_of_the_pass_before(tmp_path: Path) -> None:
    archive, tree = Archive(tmp_path), planted("a", "b")
    over = way("drive").behind("/1", ended=True).ended()
    archive.save(over, {"drive": tree})
    again = over.again()
    archive.begin(again)
    tree.drained()
    tree.remove("a")
    page = again.behind("/2", ended=False)
    archive.note(page, "drive", tree)

    found = Archive(tmp_path).load(page)

    assert found is not None
    assert set(found["drive"].folders) == {"top", "b"}


@pytest.mark.parametrize("damage", [b"", b"{", b'{"place": 5}', b"\xff\n"])
def test_what_was_damaged_is_not_known(tmp_path: Path, damage: bytes) -> None:
    archive = Archive(tmp_path)
    begun = way("drive")
    archive.begin(begun)
    page = begun.behind("/1", ended=False)
    archive.note(page, "drive", planted("a"))
    for file in tmp_path.iterdir():
        file.write_bytes(damage)

    assert archive.load(page) is None


def test_a_note_that_was_torn_by_a_crash_costs_only_itself(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    begun = way("drive")
    archive.begin(begun)
    page = begun.behind("/1", ended=False)
    archive.note(page, "drive", planted("a"))
    journal = next(tmp_path.iterdir())
    with journal.open("ab") as torn:
        torn.write(b'{"place": "012')

    assert archive.load(page) is not None
    assert journal.read_bytes().endswith(b"}\n")


def test_old_files_are_thrown_away(tmp_path: Path) -> None:
    archive, now = Archive(tmp_path), way("drive").behind("/0", ended=True).ended()
    for number in range(40):
        now = now.again().behind(f"/{number}", ended=True).ended()
        archive.save(now, {"drive": planted("a")})

    assert len(list(tmp_path.iterdir())) <= 24
    assert archive.load(now) is not None
