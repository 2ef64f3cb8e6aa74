"""What the delta tells becomes items: once, the last word of each, and nothing is missed."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.fakes.onedrive import Drive, OneDrive
from tests.integration.connectors.onedrive.conftest import Reader, named, paths_of

from windrow.connectors.onedrive.cursor import read


async def test_a_first_pass_holds_all_that_is_there_and_asks_for_nothing_twice(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    pages = await reader.run()

    assert reader.paths == paths_of(drive)
    assert [page.opens for page in pages] == [True, False, False]
    assert [page.whole for page in pages] == [False, False, True]
    lines = [each.line for each in fake.requests]
    assert len(lines) == len(set(lines)) == 1 + 1 + 3  # to sign in, the drive, three pages


async def test_where_nothing_has_changed_one_page_is_asked_for_and_the_cursor_stays(
    fake: OneDrive, reader: Reader
) -> None:
    await reader.run()
    before, asked = reader.cursor, len(fake.asked("/root/delta"))

    pages = await reader.run()

    assert [len(page.records) for page in pages] == [0]
    assert reader.cursor == before
    assert len(fake.asked("/root/delta")) - asked == 1


async def test_a_delta_link_is_kept_though_its_page_is_empty(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    await reader.run()
    before = read(reader.cursor).drives[0].link
    with fake.lock:
        drive.share(named(drive, "a1.txt"), ["ada"])  # of which this delta says nothing, but it moves

    pages = await reader.run()
    after = read(reader.cursor).drives[0].link
    await reader.run()

    assert [len(page.records) for page in pages] == [0]
    assert after is not None
    assert after != before
    assert fake.asked("/root/delta")[-1].endswith(after.partition("?")[2])


async def test_each_page_is_a_checkpoint_from_which_another_reader_goes_on(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run(pages=2)
    asked = len(fake.asked("/root/delta"))

    pages = await reader.run()

    assert len(pages) == 1
    assert len(fake.asked("/root/delta")) - asked == 1
    assert fake.asked("/items/") == []  # the folders of the pages before are known
    assert reader.paths == paths_of(drive)
    assert reader.reasons() == []


async def test_of_a_thing_that_comes_twice_in_a_page_the_last_word_counts(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    key = named(drive, "b7.txt")
    with fake.lock:
        old = drive.raw(drive.nodes[key])
        drive.rename(key, "new.txt")
        drive.echoes = [old]

    pages = await reader.run()

    assert [record["name"] for record in pages[0].records if record["id"] == key] == ["new.txt"]
    assert reader.paths == paths_of(drive)


async def test_of_a_thing_that_comes_again_in_a_later_page_the_last_word_counts(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    key = named(drive, "a0.txt")  # on the first of three pages
    await reader.run(pages=1)
    with fake.lock:
        drive.edit(key, size=7)
        drive.echoes = [drive.raw(drive.nodes[key])]

    await reader.run()

    assert reader.held[f"{drive.id}/{key}"].attributes["size"] == 7


async def test_a_deleted_facet_is_a_tombstone(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    await reader.run()
    with fake.lock:
        drive.delete(named(drive, "c3.txt"))

    pages = await reader.run()

    assert [record.get("gone") for record in pages[0].records] == [True]
    assert reader.paths == paths_of(drive)
    assert reader.reasons() == []


async def test_what_is_gone_without_a_word_is_found_by_the_listing_of_the_day(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        drive.delete(named(drive, "c3.txt"), told=False)
    await reader.run()
    unheard = reader.paths != paths_of(drive)
    reader.ahead = timedelta(hours=25)

    pages = await reader.run()

    assert unheard
    assert pages[0].opens
    assert pages[-1].whole
    assert reader.paths == paths_of(drive)


async def test_with_no_hours_between_every_pass_is_a_listing(reader: Reader) -> None:
    await reader.run(relist_hours=0)

    pages = await reader.run(relist_hours=0)

    assert pages[0].opens
    assert pages[-1].whole


async def test_a_copy_that_keeps_its_old_time_of_change_is_not_missed(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    with fake.lock:
        copy = drive.put("copy.txt", modified=datetime(2001, 1, 1, tzinfo=UTC))

    await reader.run()

    assert reader.held[f"{drive.id}/{copy.id}"].source_updated_at == datetime(2001, 1, 1, tzinfo=UTC)
    assert reader.paths == paths_of(drive)


async def test_nothing_that_opens_a_file_without_signing_in_is_kept(reader: Reader) -> None:
    pages = await reader.run()

    kept = json.dumps([[*page.records, page.cursor, page.position] for page in pages])
    assert "tempauth" not in kept
    assert "canary" not in kept


async def test_an_item_says_what_the_source_says(drive: Drive, reader: Reader) -> None:
    await reader.run()

    node = drive.nodes[named(drive, "b5.txt")]
    item = reader.held[f"{drive.id}/{node.id}"]
    assert (item.entity_type, item.display_name, item.canonical_path) == ("file", "b5.txt", "/a/b/b5.txt")
    assert (item.source_version, item.source_created_at) == (node.etag, node.created)
    assert item.owners == ("ada@example.org",)
    assert [(each.type, each.target) for each in item.relations] == [("parent", f"{drive.id}/{node.parent}")]
    assert item.attributes["hashes"] == {"quickXorHash": "xor-100"}
    assert item.attributes["modified_by"] == "Grace"


@pytest.mark.parametrize("kind", ["personal", "business"])
async def test_a_folders_own_counts_make_no_news(fake: OneDrive, reader: Reader, kind: str) -> None:
    drive = fake.add("Mine", "b!other", kind)
    folder = drive.make("folder")
    file = drive.put("file", folder.id)
    await reader.run(drive=drive.id)
    before = reader.held[f"{drive.id}/{folder.id}"]
    with fake.lock:
        drive.edit(file.id, size=5)

    pages = await reader.run(drive=drive.id)

    assert folder.id in [record["id"] for record in pages[0].records]  # ancestors come with what has changed
    assert reader.held[f"{drive.id}/{folder.id}"] == before
