"""Folders that move or go change more than the delta says."""

import random
import shutil

import pytest
from starlette.requests import Request
from tests.fakes.onedrive import Drive, OneDrive
from tests.fakes.onedrive.service import Trouble
from tests.integration.connectors.onedrive.conftest import Reader, named, paths_of

from windrow.contracts.errors import RateLimited


async def test_what_is_inside_of_a_renamed_folder_has_its_new_path_in_the_same_run(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")

    pages = await reader.run()

    assert reader.paths == paths_of(drive)
    assert reader.paths[f"{drive.id}/{named(drive, 'c1.txt')}"] == "/a/renamed/c/c1.txt"
    assert pages[-1].whole
    assert reader.reasons() == ["in this pass, folders have moved or gone"]


async def test_a_folder_that_is_told_of_and_has_not_moved_costs_no_listing(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        drive.edit(named(drive, "c1.txt"), size=3)

    pages = await reader.run()

    assert {record["name"] for record in pages[0].records} == {"root", "a", "b", "c", "c1.txt"}
    assert len(pages) == 1
    assert reader.reasons() == []


async def test_an_empty_folder_is_renamed_without_a_listing(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    empty = drive.make("empty")
    await reader.run()
    with fake.lock:
        drive.rename(empty.id, "still empty")

    await reader.run()

    assert reader.paths == paths_of(drive)
    assert reader.reasons() == []


@pytest.mark.parametrize("known", [True, False])
async def test_what_moved_unheard_into_a_folder_that_was_deleted_is_gone_with_it(
    fake: OneDrive, drive: Drive, reader: Reader, known: bool
) -> None:
    made = [drive.make("empty")] if known else []
    await reader.run()
    with fake.lock:
        folder = made[0] if made else drive.make("empty")
        drive.move(named(drive, "a1.txt"), folder.id)
        drive.delete(folder.id, inside_told=False)

    await reader.run()

    assert reader.paths == paths_of(drive)


@pytest.mark.parametrize("families", [True, False])
async def test_a_folder_that_was_empty_and_is_not_any_more_is_not_taken_for_empty(
    fake: OneDrive, drive: Drive, reader: Reader, families: bool
) -> None:
    drive.families = families
    folder = drive.make("empty")
    await reader.run()
    with fake.lock:
        drive.put("inside", folder.id)
    await reader.run()
    with fake.lock:
        drive.rename(folder.id, "renamed")

    await reader.run()

    assert reader.paths == paths_of(drive)


async def test_what_was_in_a_deleted_folder_is_gone_with_it_though_nothing_says_so(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        drive.delete(named(drive, "b"), inside_told=False)

    await reader.run()

    assert reader.paths == paths_of(drive)
    assert len(reader.paths) == 2 + 40


async def test_a_folder_that_is_said_to_be_deleted_and_still_holds_something_stays(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        raw = drive.raw(drive.nodes[named(drive, "b")])
        drive.echoes = [{key: raw[key] for key in ("id", "folder", "parentReference")} | {"deleted": {}}]

    await reader.run()

    assert reader.paths == paths_of(drive)


async def test_what_moved_out_of_a_folder_before_that_was_deleted_stays(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        drive.move(named(drive, "c"), drive.root)
        drive.delete(named(drive, "b"))

    await reader.run()

    assert reader.paths == paths_of(drive)
    assert reader.paths[f"{drive.id}/{named(drive, 'c1.txt')}"] == "/c/c1.txt"


async def test_a_thing_that_comes_before_its_folder_has_its_path(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    late = drive.make("late")
    with fake.lock:
        drive.move(named(drive, "a"), late.id)  # on the first page, and its folder on the last

    await reader.run()

    assert reader.paths == paths_of(drive)
    assert len(fake.asked(f"/items/{late.id}")) == 1


async def test_on_a_machine_that_does_not_know_the_folders_a_pass_goes_on_and_the_next_lists_everything(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run(pages=1)
    reader.crash_elsewhere()
    rest = await reader.run()
    whole = dict(reader.paths)
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")

    following = await reader.run()

    assert whole == {key: path.replace("/renamed", "/b") for key, path in paths_of(drive).items()}
    assert rest[-1].whole
    assert following[0].opens
    assert reader.paths == paths_of(drive)


async def test_a_pass_that_begins_where_the_folders_are_not_known_is_a_listing(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    reader.crash_elsewhere()
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")

    pages = await reader.run()

    assert pages[0].opens
    assert reader.paths == paths_of(drive)


async def test_another_machine_goes_on_with_the_folders_that_the_last_one_has_lent(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    for pages in (1, None, None):
        await reader.run(pages=pages)
        shutil.rmtree(reader.place)
    with fake.lock:
        drive.edit(named(drive, "c1.txt"), size=1)
    await reader.run()
    shutil.rmtree(reader.place)
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")

    await reader.run()

    assert reader.reasons() == ["in this pass, folders have moved or gone"]
    assert fake.asked("/items/") == []
    assert reader.paths == paths_of(drive)


async def test_folders_of_a_page_that_failed_are_not_lent(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    shared, folder = named(drive, "b10.txt"), named(drive, "a")
    drive.share(shared, ["ada"])
    fake.denied[shared] = Trouble(429, "TooManyRequests", {"retry-after": "1"})
    reader.config["permissions"] = True

    def renamed(request: Request) -> None:
        if "token=" in request.url.query:  # the second page, and what its folders were before is told no more
            drive.rename(folder, "renamed")
            drive.echoes = [drive.raw(drive.nodes[folder])]

    fake.before = renamed
    with pytest.raises(RateLimited):
        await reader.run()
    fake.before = None
    fake.denied.clear()
    shutil.rmtree(reader.place)
    for _ in range(2):
        await reader.run()

    assert reader.paths == paths_of(drive)


@pytest.mark.parametrize("packed", ["", "no base85 \x00", 5, None])
async def test_a_note_that_is_damaged_is_no_note(reader: Reader, packed: object) -> None:
    await reader.run()
    noted = await reader.notes.get("folders")
    await reader.notes.put("folders", {**noted, "packed": packed})
    shutil.rmtree(reader.place)

    pages = await reader.run()

    assert pages[0].opens


async def test_people_who_go_on_renaming_do_not_keep_a_run_from_ending(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    folder, asked = named(drive, "a"), len(fake.asked("/root/delta"))

    def renaming(_: object) -> None:
        drive.rename(folder, f"again {drive.clock}")
        drive.echoes = [drive.raw(drive.nodes[folder])]

    fake.before = renaming
    await reader.run()
    fake.before = None
    asked = len(fake.asked("/root/delta")) - asked
    await reader.run()

    assert asked == 1 + 3  # the changes, and one listing
    assert reader.paths == paths_of(drive)


async def test_a_machine_that_was_killed_knows_its_folders_again(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    await reader.run(pages=2)
    reader.notes.kept.clear()  # there was no time to lend them
    await reader.run()
    reader.notes.kept.clear()
    with fake.lock:
        drive.edit(named(drive, "c1.txt"), size=1)

    await reader.run()

    assert fake.asked("/items/") == []
    assert reader.reasons() == []


async def test_a_pass_that_does_not_know_the_folders_spoils_nothing_for_a_cursor_that_does(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    drive.move(named(drive, "c"), drive.root)  # so that nothing of the last page is in b
    await reader.run(pages=2)
    midway = reader.cursor
    await reader.run()
    over = reader.cursor
    for journal in (reader.place / "folders").glob("listing-*"):
        journal.unlink()
    reader.notes.kept.clear()
    reader.cursor = midway
    await reader.run()
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")
    reader.cursor = over

    await reader.run()

    assert reader.paths == paths_of(drive)


@pytest.mark.campaign
@pytest.mark.parametrize("which", range(6))
async def test_whatever_happens_between_any_two_pages_nothing_is_missed(
    seed: int, which: int, fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    drawn = random.Random(6 * seed + which)
    fake.in_path, drive.families = which % 2 == 0, which % 3 > 0
    fake.before = lambda _: _happens(fake, drive, drawn) if drawn.random() < 0.5 else None
    for _ in range(6):
        read = await reader.run(pages=drawn.choice([1, 2, 3, 5, None]))
        if drawn.random() < 0.3:
            reader.lose(drawn.randint(1, min(2, len(read))))
        if drawn.random() < 0.2:
            fake.forget()
        if drawn.random() < 0.2:
            shutil.rmtree(reader.place, ignore_errors=True)
        if drawn.random() < 0.1:
            reader.notes.kept.clear()
    fake.before = None

    for _ in range(3):
        await reader.run()

    assert reader.paths == paths_of(drive)


def _happens(fake: OneDrive, drive: Drive, drawn: random.Random) -> None:
    files = [key for key, node in drive.nodes.items() if not node.folder]
    folders = [key for key, node in drive.nodes.items() if node.folder and node.parent]
    homes = [*folders, drive.root]
    match drawn.randrange(8):
        case 0:
            drive.put(f"new {drive.clock}", drawn.choice(homes))
        case 1:
            drive.make(f"folder {drive.clock}", drawn.choice(homes))
        case 2:
            drive.move(drawn.choice(files), drawn.choice(homes))
        case 3:
            drive.rename(drawn.choice(files), f"name {drive.clock}")
        case 4:
            drive.delete(drawn.choice(files))
        case 5 if folders:
            drive.rename(drawn.choice(folders), f"called {drive.clock}")
        case 6 if folders:
            moved = drawn.choice(folders)
            inside = {node.id for node in drive.below(moved)} | {moved}
            drive.move(moved, drawn.choice([home for home in homes if home not in inside]))
        case 7:
            small = [key for key in folders if len(drive.below(key)) < len(drive.nodes) / 2]
            drive.delete(drawn.choice(small or files), inside_told=drawn.random() < 0.5)
