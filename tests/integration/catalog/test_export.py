"""An export: every item in one part, and no manifest before it is whole, whatever happens on the way."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.catalog.shelf import ACME, THEIRS, add, change, moment, relate

from windrow.catalog import Filters
from windrow.catalog.destination import Destination, Directory, Folder, Write
from windrow.catalog.export import begin, export, finish, write_part
from windrow.catalog.formats import Format
from windrow.catalog.unfinished import MANIFEST, UNFINISHED, ExportOrder, ExportProgress
from windrow.contracts.errors import Conflict, RetryableTransient, ValidationFailure
from windrow.objects import open_objects
from windrow.postgres import Database


@pytest.fixture(params=["objects", "directory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Destination:
    """Both kinds of places keep the same promises."""
    if request.param == "directory":
        return Directory(tmp_path / "out")
    return Folder(open_objects(f"file:{tmp_path / 'objects'}").for_tenant("acme"), "exports/one")


def order(**changed: Any) -> ExportOrder:
    return ExportOrder(**({"scope": ACME, "export_id": "one", "part_items": 3} | changed))


async def names(place: Destination) -> list[str]:
    return sorted([name async for name in place.names()])


async def content(place: Destination, name: str) -> bytes:
    found = await place.read(name)
    assert found is not None, name
    return found


async def lines(place: Destination) -> list[dict[str, Any]]:
    """What a reader who goes by the manifest finds."""
    manifest = json.loads(await content(place, MANIFEST))
    read: list[dict[str, Any]] = []
    for part in manifest["parts"]:
        data = await content(place, part["name"])
        assert (len(data), hashlib.sha256(data).hexdigest()) == (part["bytes"], part["sha256"])
        found = [json.loads(line) for line in data.splitlines()]
        assert len(found) == part["items"]
        read += found
    assert len(read) == manifest["items"]
    return read


async def exported(place: Destination) -> list[str]:
    return sorted(line["external_id"] for line in await lines(place))


@pytest.mark.req("OR-14")
async def test_every_item_of_the_project_is_in_one_part(database: Database, place: Destination) -> None:
    await add(database, *"abcdefgh")
    await add(database, "gone", deleted=True)
    await add(database, "theirs", scope=THEIRS)

    manifest = await export(database, place, order())

    assert await exported(place) == list("abcdefgh")
    assert [part["items"] for part in manifest["parts"]] == [3, 3, 2]
    assert await names(place) == [MANIFEST, *(f"part-0000{number}.ndjson" for number in range(3))]


async def test_an_item_is_written_down_with_all_that_is_known(database: Database, place: Destination) -> None:
    (first, _) = await add(database, "a", "b", labels=["red"], attributes={"deep": [1, {"x": None}]})
    await relate(database, first, "near", "b")

    await export(database, place, order(filters=Filters(label="red")))

    known = {line["external_id"]: line for line in await lines(place)}
    assert known["a"]["relations"] == [{"type": "near", "target": "b"}]
    assert known["a"]["attributes"] == {"deep": [1, {"x": None}]}
    assert (known["a"]["item_id"], known["a"]["revision"]) == (str(first), 1)
    assert known["a"]["provenance"]["run_id"] == "run-1"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(endpoint="wiki"), ["w"]),
        (Filters(entity_type="page"), ["p"]),
        (Filters(label="red"), ["r"]),
        (Filters(owner="ada"), ["o"]),
        (Filters(deleted=True), ["gone"]),
    ],
)
async def test_only_what_is_meant_is_written_down(
    database: Database, tmp_path: Path, filters: Filters, expected: list[str]
) -> None:
    place = Directory(tmp_path / "out")
    await add(database, "w", endpoint="wiki")
    await add(database, "p", entity_type="page")
    await add(database, "r", labels=["red"])
    await add(database, "o", owners=["ada"])
    await add(database, "gone", deleted=True)

    manifest = await export(database, place, order(filters=filters))

    assert await exported(place) == expected
    assert {name: value for name, value in manifest["filters"].items() if value}


async def test_an_empty_catalog_is_a_manifest_without_parts(database: Database, place: Destination) -> None:
    manifest = await export(database, place, order())

    assert (manifest["items"], manifest["parts"], await names(place)) == (0, [], [MANIFEST])


@pytest.mark.parametrize("items", [3, 6])
async def test_a_last_part_that_is_full_is_followed_by_none(database: Database, place: Destination, items: int) -> None:
    await add(database, *"abcdef"[:items])

    manifest = await export(database, place, order())

    assert [part["items"] for part in manifest["parts"]] == [3] * (items // 3)


async def test_a_part_ends_with_its_bytes_too(database: Database, tmp_path: Path) -> None:
    await add(database, *(f"{number:04}" for number in range(450)))
    place = Directory(tmp_path / "out")

    manifest = await export(database, place, order(part_items=100_000, part_bytes=1))

    assert [part["items"] for part in manifest["parts"]] == [200, 200, 50]
    assert len(set(await exported(place))) == 450


@pytest.mark.parametrize("kind", list(Format))
async def test_every_format_holds_as_much(database: Database, tmp_path: Path, kind: Format) -> None:
    await add(database, *"abcdefgh")
    place = Directory(tmp_path / "out")

    manifest = await export(database, place, order(format=kind))

    assert (manifest["items"], manifest["format"], len(manifest["parts"])) == (8, str(kind), 3)
    assert manifest["schema"]
    for part in manifest["parts"]:
        data = await content(place, part["name"])
        assert hashlib.sha256(data).hexdigest() == part["sha256"]


@pytest.mark.req("OR-14")
async def test_what_changes_between_two_parts_is_still_in_one_of_them(database: Database, place: Destination) -> None:
    ids = await add(database, *"abcd") + await add(database, *"efgh", entity_type="commit")
    progress = await write_part(database, place, order(), await begin(place, order()))
    for number, item_id in enumerate(ids):
        kind = "zebra" if number % 2 else "ape"
        await change(database, item_id, at=moment(number), run="run-2", entity_type=kind, display_name=kind)

    while not progress.read:
        progress = await write_part(database, place, order(), progress)
    manifest = await finish(place, order(), progress)

    assert await exported(place) == list("abcdefgh")
    assert {line["revision"] for line in await lines(place)} == {1, 2}
    assert manifest["as_of"]["first"] < manifest["as_of"]["last"]


async def test_a_part_is_of_one_moment_whatever_changes_while_it_is_read(database: Database, tmp_path: Path) -> None:
    ids = await add(database, *(f"{number:03}" for number in range(500)))

    class Slow(Directory):
        """Somebody else changes everything as soon as the first bytes are written."""

        @asynccontextmanager
        async def writing(self, name: str, media_type: str) -> AsyncIterator[Write]:
            async with super().writing(name, media_type) as write:

                async def meddled(data: bytes) -> None:
                    await write(data)
                    if name.startswith("part-") and not changed:
                        changed.append(name)
                        for item_id in (ids[0], ids[250], ids[499]):
                            await change(database, item_id, at=moment(1), run="run-2", display_name="Z")

                yield meddled

    changed: list[str] = []
    place = Slow(tmp_path / "out")

    await export(database, place, order(part_items=1000))

    assert changed
    assert {line["revision"] for line in await lines(place)} == {1}


class Breaking:
    """A destination that breaks where it is told to; what was not finished is not there."""

    def __init__(self, place: Destination, breaks: Callable[[str], bool]) -> None:
        self._place, self._breaks = place, breaks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._place, name)

    @asynccontextmanager
    async def writing(self, name: str, media_type: str) -> AsyncIterator[Write]:
        async with self._place.writing(name, media_type) as write:
            yield write
            if self._breaks(name):
                raise RetryableTransient("the store is away")


@pytest.mark.req("OR-14")
@pytest.mark.parametrize("breaks_at", ["part-00000.ndjson", "part-00001.ndjson", "part-00002.ndjson", MANIFEST])
async def test_an_export_that_broke_goes_on_behind_its_last_part(
    database: Database, place: Destination, breaks_at: str
) -> None:
    await add(database, *"abcdefgh")
    kept: list[ExportProgress] = []

    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, breaks_at.__eq__), order(), watch=kept.append)
    assert breaks_at not in await names(place)
    assert MANIFEST not in await names(place)
    before = {name: await place.stamp(name) for name in await names(place) if name != UNFINISHED}

    await export(database, place, order(), kept[-1] if kept else None)

    assert await exported(place) == list("abcdefgh")
    assert {name: await place.stamp(name) for name in before} == before


@pytest.mark.req("OR-14")
@pytest.mark.parametrize(
    ("breaks_at", "left"),
    [("part-00000.ndjson", 0), (UNFINISHED, 0), ("part-00001.ndjson", 1), (MANIFEST, 3)],
)
async def test_another_process_goes_on_by_what_lies_beside_the_parts(
    database: Database, place: Destination, breaks_at: str, left: int, said: Said
) -> None:
    await add(database, *"abcdefgh")
    written: list[str] = []

    def breaks(name: str) -> bool:
        written.append(name)
        # when it begins it says so; the second time it has a part
        return name == breaks_at and (name != UNFINISHED or written.count(name) == 2)

    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, breaks), order())
    parts = [f"part-0000{number}.ndjson" for number in range(left)]
    before = [await place.stamp(name) for name in parts]

    await export(database, place, order())

    assert await exported(place) == list("abcdefgh")
    assert [await place.stamp(name) for name in parts] == before
    assert [line["parts"] for line in said.events("export.resumed")] == ([left] if left else [])
    assert UNFINISHED not in await names(place)


@pytest.mark.parametrize("changed", [{"part_items": 2}, {"filters": Filters(entity_type="file")}])
async def test_what_was_asked_for_otherwise_is_begun_anew(
    database: Database, tmp_path: Path, changed: dict[str, Any], said: Said
) -> None:
    place = Directory(tmp_path / "out")
    await add(database, *"abcdefgh")
    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, "part-00002.ndjson".__eq__), order())

    await export(database, place, order(**changed))

    assert await exported(place) == list("abcdefgh")
    assert said.events("export.resumed") == []


async def test_a_part_that_is_not_as_it_was_left_is_no_beginning(database: Database, place: Destination) -> None:
    await add(database, *"abcdefgh")
    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, "part-00002.ndjson".__eq__), order())
    async with place.writing("part-00000.ndjson", "application/json") as write:
        await write(b"somebody else's")

    await export(database, place, order())

    assert await exported(place) == list("abcdefgh")


async def test_an_unfinished_export_is_not_written_over_by_another(database: Database, tmp_path: Path) -> None:
    place = Directory(tmp_path / "out")
    await add(database, *"abcdefgh")
    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, "part-00002.ndjson".__eq__), order())

    with pytest.raises(Conflict, match="unfinished") as caught:
        await export(database, place, order(export_id="two"))

    assert "--id one" in str(caught.value.hint)


async def test_the_same_export_again_replaces_its_parts_and_leaves_none_over(
    database: Database, place: Destination
) -> None:
    await add(database, *"abcdefgh")
    await export(database, place, order(part_items=2))
    assert len(await names(place)) == 5

    await export(database, place, order(part_items=5))

    assert await names(place) == [MANIFEST, "part-00000.ndjson", "part-00001.ndjson"]
    assert await exported(place) == list("abcdefgh")


async def test_an_export_that_is_begun_anew_is_not_whole_meanwhile(database: Database, place: Destination) -> None:
    await add(database, "a")
    await export(database, place, order())

    await begin(place, order())

    assert MANIFEST not in await names(place)


async def test_to_finish_twice_writes_the_same_manifest(database: Database, place: Destination) -> None:
    await add(database, *"abcd")
    kept: list[ExportProgress] = []
    await export(database, place, order(), watch=kept.append)
    once = await content(place, MANIFEST)

    await export(database, place, order(), kept[-1])

    assert await content(place, MANIFEST) == once


async def test_another_export_is_not_written_over(database: Database, place: Destination) -> None:
    await add(database, "a")
    await export(database, place, order())

    with pytest.raises(Conflict, match="another export"):
        await export(database, place, order(export_id="two"))

    assert await exported(place) == ["a"]


async def test_a_part_that_somebody_else_wrote_over_keeps_the_manifest_from_being_written(
    database: Database, place: Destination
) -> None:
    await add(database, *"abcdefgh")
    kept: list[ExportProgress] = []
    zombie = await write_part(database, place, order(part_items=2), await begin(place, order()))
    with pytest.raises(RetryableTransient):
        await export(database, Breaking(place, MANIFEST.__eq__), order(), watch=kept.append)
    await write_part(database, place, order(part_items=2), zombie)

    with pytest.raises(Conflict, match="part-00001"):
        await export(database, place, order(), kept[-1])

    assert MANIFEST not in await names(place)


async def test_a_cancelled_export_leaves_whole_parts_only(database: Database, place: Destination) -> None:
    await add(database, *"abcdefgh")
    reached = asyncio.Event()

    class Hanging(Breaking):
        @asynccontextmanager
        async def writing(self, name: str, media_type: str) -> AsyncIterator[Write]:
            async with self._place.writing(name, media_type) as write:
                yield write
                if name.startswith("part-00001"):
                    reached.set()
                    await asyncio.Event().wait()

    task = asyncio.create_task(export(database, Hanging(place, lambda _: False), order()))
    await reached.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert await names(place) == ["part-00000.ndjson", UNFINISHED]


async def test_files_of_others_in_the_same_place_are_left_alone(database: Database, place: Destination) -> None:
    async with place.writing("notes.txt", "text/plain") as write:
        await write(b"mine")
    await add(database, "a")

    await export(database, place, order())

    assert await content(place, "notes.txt") == b"mine"


async def test_what_a_dead_process_left_unfinished_is_gone_when_the_export_is_whole(
    database: Database, tmp_path: Path
) -> None:
    place = Directory(tmp_path / "out")
    async with place.writing("part-00007.ndjson.unfinished", "") as write:
        await write(b"half of a li")
    await add(database, "a")

    await export(database, place, order())

    assert await names(place) == [MANIFEST, "part-00000.ndjson"]


async def test_a_place_that_cannot_be_a_directory_is_told_as_such(database: Database, tmp_path: Path) -> None:
    await add(database, "a")

    for path in ("file", "file/below"):
        (tmp_path / "file").touch()
        with pytest.raises(ValidationFailure, match="cannot be a directory"):
            await write_part(database, Directory(tmp_path / path), order(), ExportProgress())


async def test_it_is_told_part_by_part(database: Database, tmp_path: Path, said: Said) -> None:
    await add(database, *"abcd")

    await export(database, Directory(tmp_path / "out"), order())

    assert [line["event"] for line in said.lines] == [
        "export.started",
        "export.part_written",
        "export.part_written",
        "export.ended",
    ]
    assert {line["directive"] for line in said.lines} == {"exportWorkflow"}
    assert {line["tenant_id"] for line in said.lines} == {"acme"}


def test_the_name_of_an_export_is_a_name() -> None:
    with pytest.raises(ValidationFailure):
        order(export_id="../../etc")
