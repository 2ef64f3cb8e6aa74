"""Passes over a tap: pages, the cursors between them, and what becomes of STATE."""

import json
import os
from datetime import timedelta

import pytest
from tests.fakes.singer import stream
from tests.integration.connectors.singer.reading import Reader, things

from windrow.contracts.errors import RetryableTransient, ValidationFailure

COUNTING = """
    begin = (state or {"at": 0})["at"]
    schema()
    for number in range(begin, 130):
        record(number)
        if number % 40 == 39:
            stand({"at": number + 1})
    stand({"at": 130})
"""

# forgets where it was, as a stream that is not sorted does, and gives no STATE that helps
WHOLE = """
    schema()
    for number in range(130):
        record(number + config.get("shift", 0))
        if number == 60:
            stand({"bookmarks": {"things": {"progress_markers": {"id": number}}}})
    stand({"bookmarks": {"things": {"id": 130}}})
"""


async def test_a_cursor_is_the_last_state_and_what_was_given_behind_it(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(COUNTING)

    pages = await reader.pages()

    assert [len(page.records) for page in pages] == [50, 50, 30]
    assert [(page.cursor["state"], page.cursor.get("skip", 0)) for page in pages] == [
        ({"at": 40}, 10),
        ({"at": 80}, 20),
        ({"at": 130}, 0),
    ]


async def test_a_state_right_behind_a_page_is_its_own(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(COUNTING)

    pages = await reader.pages(size=80)

    assert pages[0].cursor["state"] == {"at": 80}
    assert "skip" not in pages[0].cursor


async def test_a_pass_that_was_left_goes_on_behind_its_last_page(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(COUNTING)
    (first,) = await reader.pages(most=1)

    rest = await reader.pages(first.cursor)

    assert reader.ids(rest) == things(*range(50, 130))
    assert not reader.heard("tap.repeated")


async def test_a_tap_that_cannot_go_on_in_the_middle_is_read_again_up_to_there(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(WHOLE)
    _, second = await reader.pages(most=2)

    rest = await reader.pages(second.cursor)

    assert "state" not in second.cursor
    assert reader.ids(rest) == things(*range(100, 130))
    assert rest[-1].cursor["state"] == {"bookmarks": {"things": {"id": 130}}}


async def test_what_has_changed_behind_a_state_is_given_again_and_nothing_is_lost(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(WHOLE)
    _, second = await reader.pages(most=2)

    reader.tap(WHOLE.replace('config.get("shift", 0)', "7"))
    rest = await reader.pages(second.cursor)

    assert reader.ids(rest) == things(*range(7, 137))
    assert reader.heard("tap.repeated") == [{"tap": "fake", "records": 100}]


async def test_a_tap_that_begins_again_and_again_is_told(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(WHOLE)
    (first,) = await reader.pages(most=1)
    weary = {**first.cursor, "again": 50, "mark": "another"}

    with pytest.raises(ValidationFailure, match="began again 50 times"):
        await reader.pages(weary)


async def test_the_next_pass_begins_with_the_last_state(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(COUNTING)
    last = (await reader.pages())[-1]

    (again,) = await reader.pages(last.cursor)

    assert (again.records, again.last) == ([], True)
    assert again.cursor == last.cursor


async def test_what_a_tap_gave_before_it_failed_is_given_and_then_the_failure(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(
        """
        schema()
        begin = (state or {"at": 0})["at"]
        for number in range(begin, begin + 20):
            record(number)
        stand({"at": begin + 20})
        record(begin + 20)
        print("the source went away", file=sys.stderr)
        sys.exit(3)
        """
    )

    (page,), error = await reader.until_it_fails()

    assert reader.ids([page]) == things(*range(21))
    assert (page.cursor["state"], page.cursor["skip"], page.last) == ({"at": 20}, 1, False)
    assert isinstance(error, RetryableTransient)
    assert error.message == "the tap fake failed with exit code 3: the source went away"
    (following,), _ = await reader.until_it_fails(page.cursor)
    assert reader.ids([following]) == things(*range(21, 41))


async def test_streams_that_the_tap_gives_as_a_whole_are_a_listing(reader: Reader) -> None:
    reader.tap(WHOLE, [stream("things", "FULL_TABLE")])

    pages = await reader.pages()
    later = await reader.pages(pages[-1].cursor)

    assert [(page.opens, page.whole) for page in pages] == [(True, False), (False, False), (False, True)]
    assert [(page.opens, page.whole) for page in later] == [(True, False), (False, False), (False, True)]


async def test_a_listing_without_one_of_its_streams_is_not_whole(reader: Reader) -> None:
    reader.tap(WHOLE, [stream("things", "FULL_TABLE"), stream("forbidden", "FULL_TABLE")])

    pages = await reader.pages()

    assert (pages[0].opens, pages[-1].last, pages[-1].whole) == (True, True, False)


async def test_a_listing_that_is_resumed_remembers_the_streams_that_it_has_seen(reader: Reader) -> None:
    both = """
        done = (state or {"done": []})["done"]
        for name in ("a", "b"):
            if name not in done:
                schema(name)
                for number in range(60):
                    record(number, name)
                done = [*done, name]
                stand({"done": done})
    """
    reader.tap(both, [stream("a", "FULL_TABLE"), stream("b", "FULL_TABLE")])
    _, second = await reader.pages(most=2)

    rest = await reader.pages(second.cursor)

    assert second.cursor["state"] == {"done": ["a"]}
    assert len(reader.ids(rest)) == 20
    assert (rest[-1].opens, rest[-1].whole) == (False, True)


async def test_a_tap_is_run_without_its_state_when_it_is_time_to_list(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(COUNTING)
    reader.config = {"relist_hours": 24}
    first = await reader.pages()
    between = await reader.pages(first[-1].cursor)
    reader.later = timedelta(hours=25)

    listed = await reader.pages(between[-1].cursor)

    assert (first[0].opens, first[-1].whole) == (True, True)
    assert [(page.records, page.opens, page.whole) for page in between] == [([], False, False)]
    assert (listed[0].opens, listed[-1].whole, len(reader.ids(listed))) == (True, True, 130)


async def test_a_page_with_something_on_it_does_not_wait_for_ever(reader: Reader) -> None:
    reader.selection = "none"
    reader.tap(
        """
        schema()
        record(1)
        open(config["gate"]).read()
        record(2)
        """
    )
    gate = reader.place / "gate"
    os.mkfifo(gate)
    reader.config = {"tap_config": {"gate": str(gate)}}
    reader.limit(page_seconds=0.2)
    connector = reader.connector()
    given = connector.fetch_pages(None, 50)

    first = await anext(given)
    gate.write_text("go on")
    rest = [page async for page in given]  # the end may be a page of its own, where a tap takes long to leave

    assert (reader.ids([first]), first.last) == (things(1), False)
    assert (reader.ids(rest), rest[-1].last) == (things(2), True)


@pytest.mark.parametrize("selection", ["catalog", "properties"])
async def test_only_the_streams_that_are_wanted_are_selected_and_given(reader: Reader, selection: str) -> None:
    reader.selection = selection
    reader.tap(
        """
        with open(config["told"], "w") as file:
            json.dump([catalog, sys.argv], file)
        for name in ("issues", "issue_events", "people"):
            schema(name)
            record(1, name)
        """,
        [stream("issues"), stream("issue_events"), stream("people")],
    )
    told = reader.place / "told.json"
    reader.config = {"tap_config": {"told": str(told)}, "streams": ["issue*"]}

    pages = await reader.pages()

    assert reader.ids(pages) == ["issues:1", "issue_events:1"]
    assert [each["position"] for each in reader.heard("connector.skipped")] == ["stream 'people'"]
    catalog, options = json.loads(told.read_text())
    streams = catalog["streams"]
    assert f"--{selection}" in options
    assert [each["selected"] for each in streams] == [True, True, False]
    assert [each["metadata"][0]["metadata"]["selected"] for each in streams] == [True, True, False]


async def test_a_stream_that_the_tap_does_not_have_is_told_with_those_that_it_has(reader: Reader) -> None:
    reader.tap(COUNTING)
    reader.config = {"streams": ["thingss"]}

    with pytest.raises(ValidationFailure, match="no stream 'thingss'") as refused:
        await reader.connector().prepare()

    assert refused.value.hint == "it has: things"


async def test_a_tap_without_discovery_is_not_asked_for_its_streams(reader: Reader) -> None:
    reader.tap("assert catalog is None\nschema()\nrecord(1)\nrecord(2, 'people')", [])
    reader.config = {"selection": "none", "streams": ["things"]}

    findings = await reader.connector().prepare()

    assert all(finding.well for finding in findings)
    assert reader.ids(await reader.pages()) == things(1)


async def test_the_streams_are_asked_for_once_an_hour(reader: Reader) -> None:
    reader.tap(COUNTING)
    await reader.connector().prepare()
    (kept,) = reader.place.glob("cache/catalog-*.json")
    kept.write_text(json.dumps({"streams": [stream("kept")]}))

    assert "1 of 1" in (await reader.connector(streams=[]).prepare())[1].detail
    with pytest.raises(ValidationFailure, match="no stream"):
        await reader.connector(streams=["things", "nothing"]).prepare()
    reader.later = timedelta(hours=2)
    assert (await reader.connector().prepare())[1].well
    assert "things" in kept.read_text()
