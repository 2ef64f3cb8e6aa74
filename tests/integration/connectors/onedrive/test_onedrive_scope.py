"""Whose drives, which folder, which names, and who may do what with them."""

import asyncio

import pytest
from tests.fakes.onedrive import Drive, OneDrive
from tests.fakes.onedrive.service import SITE, Trouble
from tests.integration.connectors.onedrive.conftest import Reader, named, paths_of

from windrow.contracts.errors import Code, RateLimited, ValidationFailure


@pytest.mark.parametrize("site", ["acme.example:/sites/team", SITE])
async def test_a_sites_libraries_are_one_listing(fake: OneDrive, drive: Drive, reader: Reader, site: str) -> None:
    second = fake.add("Second", "b!drive-two")
    for number in range(60):
        second.put(f"s{number}")
    reader.config = {"site": site}

    pages = await reader.run()

    assert [page.opens for page in pages] == [True, *[False] * (len(pages) - 1)]
    assert [page.whole for page in pages] == [*[False] * (len(pages) - 1), True]
    assert reader.paths == paths_of(drive, second)


async def test_a_library_that_forgot_makes_all_of_them_be_listed(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    second = fake.add("Second", "b!drive-two")
    gone = [second.put(f"s{number}") for number in range(60)][3]
    reader.config = {"site": SITE}
    await reader.run()
    with fake.lock:
        second.delete(gone.id, told=False)
        second.life += 1

    pages = await reader.run()

    assert pages[-1].whole
    assert reader.paths == paths_of(drive, second)


async def test_a_library_that_comes_or_goes_is_noticed(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    reader.config = {"site": SITE}
    await reader.run()
    second = fake.add("Second", "b!drive-two")
    second.put("new")
    await reader.run()
    both = dict(reader.paths)
    with fake.lock:
        del fake.drives[second.id]

    await reader.run()

    assert both == paths_of(drive, second)
    assert reader.paths == paths_of(drive)


async def test_only_the_libraries_that_are_named_are_read(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    second = fake.add("Second", "b!drive-two")
    reader.config = {"site": SITE, "libraries": ["Second"]}

    await reader.run()

    assert reader.paths == paths_of(second)


async def test_a_library_that_is_not_there_is_told_with_those_that_are(fake: OneDrive, reader: Reader) -> None:
    with pytest.raises(ValidationFailure, match="'Thrid'") as wrong:
        await reader.run(drive=None, site=SITE, libraries=["Thrid"])

    assert wrong.value.code is Code.NOT_FOUND
    assert "'Documents'" in (wrong.value.hint or "")


async def test_a_users_drive_is_read_by_the_users_name(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    reader.config = {"user": "ada@example.org"}

    await reader.run()

    assert reader.paths == paths_of(drive)
    assert len(fake.asked("/v1.0/users/ada@example.org/drive")) == 1


async def test_of_a_folder_only_what_is_inside_is_held_whatever_moves_in_and_out(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    reader.config["folder"] = "/a/b"
    await reader.run()
    at_first = dict(reader.paths)
    with fake.lock:
        drive.move(named(drive, "a1.txt"), named(drive, "c"))
        drive.move(named(drive, "b1.txt"), drive.root)
        drive.edit(named(drive, "a2.txt"), size=9)
        drive.put("outside")

    pages = await reader.run()

    everything = paths_of(drive)
    assert len(at_first) == 1 + 40 + 1 + 40
    # what was never wanted may be told to be gone, but not the folders above with every change
    assert {drive.root, named(drive, "a")}.isdisjoint(record["id"] for record in pages[0].records)
    assert reader.paths == {key: path for key, path in everything.items() if path.startswith("/a/b")}


async def test_a_folder_that_moves_into_the_one_that_is_harvested_brings_what_is_inside(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    other = drive.make("other")
    inside = drive.put("inside", other.id)
    reader.config["folder"] = "/a/b"
    await reader.run()
    with fake.lock:
        drive.move(other.id, named(drive, "b"))
    await reader.run()
    came = reader.paths.get(f"{drive.id}/{inside.id}")
    with fake.lock:
        drive.move(other.id, drive.root)

    await reader.run()

    assert came == "/a/b/other/inside"
    assert f"{drive.id}/{inside.id}" not in reader.paths


async def test_a_folder_that_is_not_there_fails_and_deletes_nothing(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    reader.config["folder"] = "/a/b"
    await reader.run()
    held = dict(reader.held)
    with fake.lock:
        drive.rename(named(drive, "b"), "renamed")

    with pytest.raises(ValidationFailure) as wrong:
        await reader.run()

    assert wrong.value.code is Code.NOT_FOUND
    assert reader.held == held


async def test_include_and_exclude_are_globs_below_the_folder(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    reader.config |= {"folder": "/a", "include": ["b/**"], "exclude": ["*3.txt", "!c3.txt"]}
    await reader.run()
    with fake.lock:
        drive.rename(named(drive, "b7.txt"), "now3.txt")
        drive.rename(named(drive, "b13.txt"), "wanted.txt")

    await reader.run()

    names = {item.display_name for item in reader.held.values()}
    expected = {node.name for node in drive.nodes.values() if drive.path(node.id).startswith("/a/b/")}
    assert names == {name for name in expected if not name.endswith("3.txt") or name == "c3.txt"} | {"a"}


async def test_what_is_left_out_is_not_named(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    reader.config["exclude"] = ["private/"]
    folder = drive.make("private")
    await reader.run()
    with fake.lock:
        drive.put("salaries", folder.id)

    pages = await reader.run()

    assert "salaries" not in repr(pages)


async def test_another_configuration_is_another_listing(drive: Drive, reader: Reader) -> None:
    await reader.run()

    pages = await reader.run(exclude=["c/"])

    assert pages[0].opens
    assert pages[-1].whole
    assert reader.paths == {key: path for key, path in paths_of(drive).items() if not path.startswith("/a/b/c")}


async def test_permissions_are_those_of_the_item_itself_without_the_addresses_of_links(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    folder, file = named(drive, "b"), named(drive, "b1.txt")
    drive.share(folder, ["grace"])
    drive.share(file, ["ada", "anyone"])
    reader.config["permissions"] = True

    await reader.run()

    item = reader.held[f"{drive.id}/{file}"]
    assert item.attributes["permissions"] == [
        {"link": {"scope": "anonymous", "type": "view"}, "roles": ["read"]},
        {"roles": ["write"], "to": ["ada@example.org"]},
    ]
    assert "shared" in item.labels
    assert len(fake.asked("/permissions")) == 2  # and not one for each thing that inherits


async def test_a_change_of_sharing_is_news_and_so_is_its_end(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    file = named(drive, "b1.txt")
    reader.config["permissions"] = True
    await reader.run()
    with fake.lock:
        drive.share(file, ["ada"])
    await reader.run()
    shared = reader.held[f"{drive.id}/{file}"]
    with fake.lock:
        drive.share(file, [])

    await reader.run()

    assert shared.attributes["permissions"] == [{"roles": ["write"], "to": ["ada@example.org"]}]
    assert "permissions" not in reader.held[f"{drive.id}/{file}"].attributes
    assert reader.held[f"{drive.id}/{file}"].labels == ()


@pytest.mark.parametrize(("status", "code"), [(403, "accessDenied"), (423, "resourceLocked"), (404, "itemNotFound")])
async def test_permissions_that_cannot_be_read_are_told_and_cost_the_others_nothing(
    fake: OneDrive, drive: Drive, reader: Reader, status: int, code: str
) -> None:
    refused, other = named(drive, "b1.txt"), named(drive, "b2.txt")
    drive.share(refused, ["ada"])
    drive.share(other, ["ada"])
    fake.denied[refused] = Trouble(status, code)
    reader.config["permissions"] = True

    pages = await reader.run()

    assert pages[-1].whole
    assert reader.paths == paths_of(drive)
    assert reader.held[f"{drive.id}/{refused}"].attributes["permissions_unread"] == f"{status} {code}"
    assert "permissions" in reader.held[f"{drive.id}/{other}"].attributes
    assert reader.said == [("connector.skipped", {"position": "/a/b/b1.txt", "reason": f"{status} {code}"})]


async def test_a_limit_met_while_permissions_are_read_is_a_limit(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    for name in ("b1.txt", "b2.txt", "b3.txt"):
        drive.share(named(drive, name), ["ada"])
    fake.denied[named(drive, "b2.txt")] = Trouble(429, "TooManyRequests", {"retry-after": "7"})
    reader.config["permissions"] = True

    with pytest.raises(RateLimited) as limited:
        await reader.run()

    assert limited.value.retry_after == 7
    # the slice that follows in the same task is not taken for one that was asked to end
    task = asyncio.current_task()
    assert task
    assert task.cancelling() == 0
    assert [each for each in asyncio.all_tasks() if each is not task] == []
