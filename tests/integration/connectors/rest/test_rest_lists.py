"""Lists in their several ways, lists below lists, and what becomes of them when a run ends anywhere."""

import copy
import json
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, cast

import pytest
from tests.fakes.web import answer
from tests.integration.connectors.rest.desk import ITEM, Desk, by_query, desk, ids, read, stream, things

from windrow.contracts.errors import RateLimited, ValidationFailure

ALL = [f"thing:{number}" for number in range(120)]


def part(begin: int, size: int = 40) -> list[dict[str, Any]]:
    return things(*range(begin, min(begin + size, 120)))


PAGINATIONS: dict[str, tuple[dict[str, Any], dict[str, Any], Any]] = {
    "next": (
        {"type": "next", "next": "{body.links.next}"},
        {"records": "body.data"},
        lambda asked: {
            "data": part(at := int(asked.get("at", 0))),
            "links": {"next": f"/api/things?at={at + 40}" if at < 80 else None},
        },
    ),
    "cursor": (
        {"type": "cursor", "next": "{last.id}", "param": "after", "more": "{body.more}"},
        {"records": "body.data"},
        lambda asked: {"data": part(at := int(asked.get("after", -1)) + 1), "more": at < 80},
    ),
    "offset": (
        {"type": "offset", "param": "skip"},
        {},
        lambda asked: part(int(asked.get("skip", 0))),
    ),
    "short": (
        {"type": "offset", "param": "skip", "size_param": "n", "stop": "short"},
        {},
        lambda asked: part(int(asked.get("skip", 0)), int(asked["n"])),
    ),
    "page": (
        {"type": "page", "param": "p", "first": 0},
        {},
        lambda asked: part(int(asked.get("p", 0)) * 40),
    ),
    "total": (
        {"type": "page", "param": "p", "total": "{body.count}"},
        {"records": "body.data"},
        lambda asked: {"data": part((int(asked.get("p", 1)) - 1) * 40), "count": 120},
    ),
    "none": ({"type": "none"}, {}, lambda _: part(0, 120)),
}


@pytest.mark.parametrize("kind", PAGINATIONS)
async def test_a_list_is_read_to_its_end_whatever_its_way(kind: str) -> None:
    paging, more, rows = PAGINATIONS[kind]
    async with desk() as at:
        at.web.on("/api/things", by_query(rows))
        connector = at.connector({"things": stream(pagination=paging, **more)})

        found = await read(connector)

        assert ids(connector, found) == ALL
        assert [page.last for page in found].count(True) == 1
        assert max(len(page.records) for page in found) <= 50
        asked = [each.target for each in at.web.requests]
        assert len(asked) == len(set(asked))


async def test_a_list_by_link_headers_follows_relative_links() -> None:
    async with desk() as at:
        at.web.on(
            "/api/things",
            answer(200, things(1), {"link": '<?page=2>; rel="next"'}),
            answer(200, things(2), {"link": '</api/things?page=1>; rel="prev"'}),
        )
        connector = at.connector({"things": stream(pagination={"type": "link"})})

        assert ids(connector, await read(connector)) == ["thing:1", "thing:2"]
        assert [each.target for each in at.web.requests] == ["/api/things", "/api/things?page=2"]


def shelves(at: Desk, count: int = 6, each: int = 7) -> dict[str, Any]:
    """Shelves, their boxes, and what is in those; the definition."""
    at.web.on("/api/shelves", answer(200, [{"id": n, "big": "x" * 3000} for n in range(count)]))
    for shelf in range(count):
        at.web.on(f"/api/shelves/{shelf}/boxes", answer(200, [{"no": box} for box in range(each)]))
        for box in range(each):
            rows = [{"id": f"{shelf}-{box}-{n}", "name": "thing"} for n in range(3)]
            at.web.on(f"/api/shelves/{shelf}/boxes/{box}/things", answer(200, rows))
    box = {**ITEM, "entity_type": "box", "external_id": "box:{parent.id}/{record.no}", "display_name": "{record.no}"}
    return {
        "shelves": {"path": "shelves"},
        "boxes": {"parent": "shelves", "path": "shelves/{parent.id}/boxes", "item": box},
        "things": {
            "parent": "boxes",
            "path": "shelves/{grandparent.id}/boxes/{parent.no}/things",
            "item": {**ITEM, "relations": {"box": "box:{grandparent.id}/{parent.no}"}},
        },
    }


async def test_lists_below_lists_are_read_once_each_in_few_pages() -> None:
    async with desk() as at:
        connector = at.connector(shelves(at), deletes="listed")

        found = await read(connector)

        assert len(set(ids(connector, found))) == 6 * 7 + 6 * 7 * 3
        asked = [each.target for each in at.web.requests]
        assert len(asked) == len(set(asked)) == 1 + 6 + 42
        assert [page.opens for page in found] == [True] + [False] * (len(found) - 1)
        assert [page.whole for page in found] == [False] * (len(found) - 1) + [True]
        assert max(len(json.dumps(page.cursor)) for page in found) < 2000
        things_of_2_5 = [
            each
            for page in found
            for each in connector.transform(page).items
            if each.external_id.startswith("thing:2-5-")  # type: ignore[union-attr]
        ]
        assert [each.relations[0].target for each in things_of_2_5] == ["box:2/5"] * 3  # type: ignore[union-attr]


async def test_from_any_cursor_a_fresh_connector_goes_on_with_what_is_left() -> None:
    async with desk() as at:
        definition = shelves(at, count=2)
        connector = at.connector(definition)
        found = await read(connector, size=10)

        for place, page in enumerate(found[:-1]):
            rest = await read(at.connector(definition), copy.deepcopy(page.cursor), size=10)
            assert ids(connector, found[: place + 1]) + ids(connector, rest) == ids(connector, found)


async def test_an_answer_that_has_changed_since_it_was_cut_is_read_anew() -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, part(0, 120)), answer(200, things(*range(1, 120))))
        connector = at.connector({"things": stream()})
        (first,) = await read(connector, most=1)

        rest = await read(connector, first.cursor)

        assert ids(connector, rest) == ALL[1:]


async def test_an_offset_list_that_moved_while_it_was_read_is_not_whole() -> None:
    async with desk() as at:
        rows = things(*range(100))
        at.web.on("/api/things", by_query(lambda asked: rows[int(asked.get("o", 0)) :][:50]))
        paging = {"type": "offset", "param": "o"}
        connector = at.connector({"things": stream(pagination=paging)}, deletes="listed")
        quiet = await read(connector)
        (first,) = await read(connector, most=1)
        del rows[3]  # what was the 51st is now the 50th, and would be passed over

        moved = await read(connector, first.cursor)

        assert quiet[-1].whole
        assert len(ids(connector, quiet)) == 100
        assert not moved[-1].whole
        assert "moved while it was read" in at.said[-1][1]["reason"]


async def test_a_list_that_is_passed_over_costs_the_pass_its_wholeness_and_nothing_else() -> None:
    async with desk() as at:
        definition = shelves(at, count=2, each=2)
        definition["boxes"]["skip"] = [403]
        at.web.on("/api/shelves/0/boxes", answer(403, {"error": "not yours"}))
        connector = at.connector(definition, deletes="listed")

        found = await read(connector)

        assert len(ids(connector, found)) == 2 + 6
        assert not found[-1].whole
        assert "answered 403" in at.said[0][1]["reason"]


async def test_what_a_list_belongs_to_may_be_gone_by_the_time_that_it_is_asked_for() -> None:
    async with desk() as at:
        definition = shelves(at, count=2, each=1)
        at.web.on("/api/shelves/0/boxes", answer(404, b"gone"))
        connector = at.connector(definition, deletes="listed")

        found = await read(connector)

        assert ids(connector, found) == ["box:1/0", *(f"thing:1-0-{n}" for n in range(3))]
        assert not found[-1].whole


@pytest.mark.parametrize("status", [400, 410])
@pytest.mark.parametrize("parent", [None, "top"])
async def test_a_kept_cursor_that_has_run_out_begins_its_list_anew(status: int, parent: str | None) -> None:
    async with desk() as at:
        at.web.on("/api/top", answer(200, [{}]))
        whole = {"data": part(0, 50), "next": "b"}, {"data": part(50, 70), "next": None}
        expired = answer(status, {"errors": ["no such cursor"]})
        at.web.on("/api/things", answer(200, whole[0]), expired, *(answer(200, each) for each in whole))
        paging = {"type": "cursor", "next": "{body.next}", "param": "c"}
        listed = stream(records="body.data", pagination=paging, parent=parent)
        connector = at.connector({"things": listed, "top": {"path": "top"}} if parent else {"things": listed})
        (first,) = await read(connector, most=1)

        rest = await read(connector, first.cursor)

        assert ids(connector, rest) == ALL
        assert at.said == []


async def test_a_cursor_that_is_refused_again_and_again_is_an_error() -> None:
    async with desk() as at:
        rows = {"data": part(0, 50), "next": "b"}
        first, expired = answer(200, rows), answer(400, {"errors": ["no such cursor"]})
        at.web.on("/api/things", first, expired, first, expired, first, expired)
        paging = {"type": "cursor", "next": "{body.next}", "param": "c"}
        connector = at.connector({"things": stream(records="body.data", pagination=paging)})

        with pytest.raises(ValidationFailure, match="answered 400"):
            await read(connector)

        assert len(at.web.requests) == 6


async def test_however_much_children_say_of_their_parents_the_cursor_stays_small() -> None:
    async with desk() as at:
        said = "x" * 1500
        parents = [{"id": n, "said": said if n else said * 2} for n in range(60)]
        at.web.on("/api/parents", answer(200, parents))
        at.web.on("/api/children", answer(200, [{"id": 1}]))
        child = {**ITEM, "external_id": "{parent.id}/{record.id}", "display_name": "{parent.said}"}
        below = {"parent": "parents", "path": "children", "item": child}
        connector = at.connector({"parents": {"path": "parents"}, "children": below}, deletes="listed")

        found = await read(connector, size=500)

        assert ids(connector, found) == [f"{n}/1" for n in range(1, 60)]
        assert len(found) > 2
        assert max(len(json.dumps(page.cursor)) for page in found) < 32 * 1024
        assert "more than 2048 bytes" in at.said[0][1]["reason"]
        assert not found[-1].whole


async def test_other_values_are_another_source() -> None:
    async with desk() as at:
        at.web.on("/api/a/things", by_query(lambda asked: part(int(asked.get("o", 0)), 50)))
        at.web.on("/api/b/things", by_query(lambda asked: [] if "o" in asked else things(7)))
        definition = {
            "version": 1,
            "base_url": at.web.url("/api"),
            "values": {"org": "whose"},
            "streams": {"things": stream(path="{values.org}/things", pagination={"type": "offset", "param": "o"})},
        }
        (first,) = await read(at.made({"definition": definition, "values": {"org": "a"}}), most=1)
        other = at.made({"definition": definition, "values": {"org": "b"}})

        assert ids(other, await read(other, first.cursor)) == ["thing:7"]


@pytest.mark.parametrize("empty", [answer(200, []), answer(204)])
async def test_an_empty_list_is_whole(empty: bytes) -> None:
    async with desk() as at:
        at.web.on("/api/things", empty)

        (page,) = await read(at.connector({"things": stream()}, deletes="listed"))

        assert (list(page.records), page.opens, page.last, page.whole) == ([], True, True, True)


async def test_nothing_is_no_empty_list() -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, b"null", {"content-type": "application/json"}))

        with pytest.raises(ValidationFailure, match="where a list was due"):
            await read(at.connector({"things": stream()}, deletes="listed"))


async def test_what_is_gone_is_not_asked_for_what_belonged_to_it() -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, [{"id": 1, "gone": True}, {"id": 2, "gone": False, "name": "Two"}]))
        at.web.on("/api/things/2/parts", answer(200, []))
        part_of = stream(
            parent="things", path="things/{parent.id}/parts", item={**ITEM, "external_id": "part:{record.id}"}
        )
        told = stream(item={**ITEM, "deleted": "{record.gone}"})
        connector = at.connector({"things": told, "parts": part_of})

        (page,) = await read(connector)

        assert [each.deleted for each in connector.transform(page).items] == [True, False]  # type: ignore[union-attr]
        assert [each.path for each in at.web.requests] == ["/api/things", "/api/things/2/parts"]


async def test_records_of_a_kind_that_nobody_expects_cost_only_themselves() -> None:
    async with desk() as at:
        rows = [
            *things(1),
            None,
            7,
            "text",
            [],
            {},
            {"id": {"deep": 1}, "name": "x"},
            {"id": 2, "name": None},
            *things(3),
        ]
        at.web.on("/api/things", answer(200, rows))
        at.web.on("/api/things/1/parts", answer(200, []))
        at.web.on("/api/things/2/parts", answer(200, []))
        at.web.on("/api/things/3/parts", answer(200, []))
        below = stream(
            parent="things", path="things/{parent.id}/parts", item={**ITEM, "external_id": "part:{record.id}"}
        )
        connector = at.connector({"things": stream(), "parts": below}, deletes="listed")

        page, *_ = await read(connector)
        made = connector.transform(page)

        assert [one.index for one in made.refused] == [1, 2, 3, 4, 5, 6]
        assert len(made.items) == 3
        assert {fields["reason"].partition(":")[0] for _, fields in at.said} == {"parts cannot be asked for"}


async def test_a_later_pass_asks_for_what_changed_by_the_sources_own_clock() -> None:
    async with desk() as at:
        theirs = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=5)
        date = {"date": format_datetime(theirs, usegmt=True)}
        at.web.on("/api/things", answer(200, things(1, 2), date), answer(200, things(2), date))
        incremental = stream(params={"since": "{since}", "by": "time"}, incremental={"overlap_seconds": 600})
        connector = at.connector({"things": incremental}, deletes="listed", relist_hours=24)
        (first,) = await read(connector)

        (second,) = await read(connector, first.cursor)
        at.now += timedelta(hours=20)
        (third,) = await read(connector, second.cursor)

        since = (
            (theirs.replace(second=0) - timedelta(minutes=10)).isoformat().replace("+00:00", "Z").replace(":", "%3A")
        )
        assert [each.target.partition("?")[2] for each in at.web.requests] == [
            "by=time",
            f"since={since}&by=time",
            "by=time",
        ]
        assert [(page.opens, page.whole) for page in (first, second, third)] == [
            (True, True),
            (False, False),
            (True, True),
        ]


async def test_a_clock_that_cannot_be_is_not_believed() -> None:
    async with desk() as at:
        at.web.on("/api/things", answer(200, things(1), {"date": "Fri, 31 Dec 9999 23:59:59 GMT"}))
        connector = at.connector({"things": stream(params={"since": "{since | day}"}, incremental={})})

        (page,) = await read(connector)

        assert page.cursor["since"][:10] == at.now.date().isoformat()


async def test_a_list_with_the_newest_first_ends_at_the_first_that_is_older() -> None:
    async with desk() as at:
        days = [{"id": n, "name": "x", "at": (at.now - timedelta(days=n)).isoformat()} for n in range(-1, 30)]
        at.web.on("/api/things", by_query(lambda asked: days[int(asked.get("o", 0)) :][:5]))
        newest = stream(
            pagination={"type": "offset", "param": "o"}, incremental={"field": "{record.at}", "newest_first": True}
        )
        connector = at.connector({"things": newest})
        first = await read(connector)
        at.web.requests.clear()

        later = await read(connector, first[-1].cursor)

        assert len(ids(connector, first)) == 31
        assert ids(connector, later) == ["thing:-1", "thing:0"]
        assert len(at.web.requests) == 1


async def test_another_definition_begins_anew_and_another_pace_does_not() -> None:
    async with desk() as at:
        at.web.on("/api/things", by_query(lambda asked: part(int(asked.get("o", 0)), 50)))
        paged = stream(pagination={"type": "offset", "param": "o"})
        (first,) = await read(at.connector({"things": paged}), most=1)

        slower = at.connector({"things": paged}, rate={"requests": 1000}, title="Slow")
        other = at.connector({"things": {**paged, "when": "{record.id | exists}"}})

        assert ids(slower, await read(slower, first.cursor)) == ALL[50:]
        assert ids(other, await read(other, first.cursor)) == ALL


async def test_a_source_that_lets_us_ask_little_does_not_keep_us_for_ever() -> None:
    async with desk() as at:
        definition = shelves(at, count=4, each=0)
        at.web.on("/api/shelves/2/boxes", answer(429, b"slow", {"retry-after": "40"}), answer(200, [{"no": 1}]))
        at.web.on("/api/shelves/2/boxes/1/things", answer(200, things(1)))
        connector = at.connector(definition)

        async with aclosing(cast("Any", connector.fetch_pages(None, 50))) as pages:
            page = await anext(pages)
            with pytest.raises(RateLimited) as limited:
                await anext(pages)
        rest = await read(connector, page.cursor)

        assert limited.value.retry_after == 40.0
        # the shelves and the first two lists of boxes were a page of their own: nobody asks for them again
        assert [each.target for each in at.web.requests].count("/api/shelves/0/boxes") == 1
        assert ids(connector, rest) == ["box:2/1", "thing:1"]
