"""Every list is read page by page, whole and in order, with as many statements for many as for one."""

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import COUNT, MARK, TOKEN, stocked
from tests.integration.harvest.shop import Shop, open_shop, run_slice

from windrow import messages
from windrow.console.api.operations import OPERATIONS
from windrow.console.api.paging import MOST
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.page import Cursor

LISTS = {
    "/endpoints": {},
    "/runs": {},
    "/runs/run-0/batches": {},
    "/runs/run-0/lines": {},
    "/items": {"endpoint": "shop"},
    "/items/search": {"q": MARK},
    "/changes": {},
    "/quarantine": {},
    "/jobs": {},
    "/media-jobs": {},
    "/topics/topic/messages": {},
    "/dead-letters": {},
    "/kv": {"prefix": "notes/"},
    "/audit": {},
    "/notices": {},
    "/blobs": {},
}
# a statement begins the transaction; a search looks for words, a message for its topic
MOST_STATEMENTS = 8


async def bring(desk: Desk) -> None:
    """Some blobs: made by asking for them."""
    for _ in range(COUNT):
        await desk.ask("POST", "/blobs", json={"item": str(desk.house.item), "media_type": "text/plain"})


async def test_every_list_is_the_same_read_at_once_and_page_by_page(desk: Desk) -> None:
    await stocked(desk.database)
    await bring(desk)
    for path, filters in LISTS.items():
        whole = (await desk.get(path, limit=MOST, **filters))["items"]
        assert len(whole) >= 2, path
        size = max(1, len(whole) // 3)
        assert await desk.all_pages(path, size, **filters) == whole, path


async def test_every_list_asks_the_database_as_often_for_many_as_for_one(desk: Desk) -> None:
    await stocked(desk.database)
    await bring(desk)
    for path, filters in LISTS.items():
        one, many = [await desk.statements(path, limit=limit, **filters) for limit in (1, MOST)]
        assert one == many <= MOST_STATEMENTS, path


def test_every_operation_with_pages_is_tried_here() -> None:
    paged = {
        each.path.removeprefix("/api/v1").replace("{run_id}", "run-0").replace("{topic}", "topic")
        for each in OPERATIONS
        if any(field.alias == "page" for sub in each.dependant.dependencies for field in sub.query_params)
    }

    # of the things in stock none has changed yet: the history of one is tried below
    assert paged == set(LISTS) | {"/items/{item_id}/history"}


async def test_a_token_is_not_good_for_another_list_filter_project_or_tenant(desk: Desk) -> None:
    await stocked(desk.database)
    token = (await desk.get("/jobs", limit=1))["next"]

    answers = [
        await desk.ask("GET", "/runs", params={"page": token}),
        await desk.ask("GET", "/jobs", params={"page": token, "kind": "clip"}),
        await desk.ask("GET", "/jobs", "token-of-elsewhere", params={"page": token}),
        await desk.ask("GET", "/jobs", "token-of-other", params={"page": token}),
    ]

    assert [answer.status_code for answer in answers] == [400] * 4
    assert all(answer.json()["code"] == "INVALID" for answer in answers)


@pytest.mark.req("OR-51")
async def test_cursors_and_checkpoints_are_shown_as_fingerprints(desk: Desk) -> None:
    await stocked(desk.database)

    cursor = await desk.get("/endpoints/shop/cursor")
    entries = (await desk.get("/kv", prefix="harvest/"))["items"]
    entry = await desk.get(f"/kv/{entries[0]['path']}")

    assert cursor["cursor"].startswith("fp:")
    assert {each["purpose"] for each in entries} <= {"cursor", "checkpoint"}
    assert all(each["value"].startswith("fp:") for each in [*entries, entry])
    assert TOKEN not in str([cursor, entries, entry])


async def test_a_run_is_shown_with_its_steps_and_what_became_of_its_batches(desk: Desk) -> None:
    await stocked(desk.database)

    found = await desk.get("/runs/run-0")

    assert found["run"]["outcome"] == "done"
    assert (found["in_outbox"]["batches"], found["in_outbox"]["pending"]) == (2, 0)
    assert [step["state"] for step in found["steps"]] == ["Completed"]
    assert found["run"]["quarantined"] == COUNT


async def test_the_lines_of_a_run_are_shown_in_order_and_by_their_level(desk: Desk) -> None:
    await stocked(desk.database)

    lines = (await desk.get("/runs/run-0/lines"))["items"]
    serious = (await desk.get("/runs/run-0/lines", level="WARN"))["items"]

    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["event"] == "harvest.started"
    assert lines[-1]["event"] == "batch.persisted"
    assert [(line["level"], line["event"]) for line in serious] == [("ERROR", "harvest.quarantined")]
    assert (await desk.ask("GET", "/runs/run-0/lines", "token-of-elsewhere")).status_code == 404


@pytest.mark.req("HV-32", "MW-72")
async def test_a_run_that_failed_shows_how_far_it_came_and_no_token(desk: Desk) -> None:
    shop = Shop()
    shop.puts(*(f"{MARK}-{number}" for number in range(60)))

    def break_down(cursor: Cursor) -> None:
        if cursor:
            raise RetryableTransient("the source is away", code=Code.UNAVAILABLE)

    shop.asked = break_down
    endpoint = await open_shop(desk.database, page_size=50)
    with pytest.raises(RetryableTransient):
        await run_slice(desk.database, shop, endpoint, "run-0")

    partial = (await desk.get("/runs/run-0"))["partial"]

    assert partial["run_id"] == "run-0"
    assert "the source is away" in str(partial)
    assert MARK not in str(partial)


async def test_an_item_is_shown_with_its_history_and_relations(desk: Desk) -> None:
    stock = await stocked(desk.database)

    item = await desk.get(f"/items/{stock.item_id}")
    history = await desk.get(f"/items/{stock.item_id}/history")
    related = await desk.get(f"/items/{stock.item_id}/relations")
    facets, exact = [await desk.get("/items/facets", endpoint="shop", exact=exact) for exact in (False, True)]

    assert item["provenance"]["run_id"] == "run-0"
    assert [each["kind"] for each in history["items"]] == ["created"]
    assert related == {"outgoing": [], "incoming": [], "more": False}
    counted = {"endpoint_id": "shop", "entity_type": "thing", "items": 60, "deleted": 0}
    assert facets == exact == {"items": [counted | {"items_are": "exact", "deleted_are": "exact"}], "is_all": True}


async def test_the_history_of_an_item_is_the_same_read_at_once_and_page_by_page(desk: Desk) -> None:
    stock = await stocked(desk.database)
    for number in range(4):
        async with desk.database.tenant("acme") as tx:
            await tx.connection.execute(
                "UPDATE items SET display_name = %s, content_hash = %s, revision = revision + 1 WHERE item_id = %s",
                (f"name {number}", str(number), stock.item_id),
            )
    path = f"/items/{stock.item_id}/history"

    whole = (await desk.get(path))["items"]

    assert [each["kind"] for each in whole] == ["changed"] * 4 + ["created"]
    assert await desk.all_pages(path, 2) == whole


async def test_a_run_is_named_whole_and_nobody_learns_of_another_projects(desk: Desk) -> None:
    await stocked(desk.database)

    assert (await desk.get("/runs/run-0"))["run"]["run_id"] == "run-0"
    said = {
        (await desk.ask("GET", f"/runs/{name}", "token-of-elsewhere")).json()["detail"].replace(repr(name), "…")
        for name in ("run-0", "run-", "run-9")
    }
    assert said == {"there is no run …"}


async def test_the_trail_is_read_by_who_did_it_what_was_done_and_since_when(desk: Desk) -> None:
    await desk.ask("PUT", "/kv/notes/a", json={"value": 1}, headers={"if-none-match": "*"})
    await desk.ask("PUT", "/kv/notes/b", "token-of-a-writer", json={"value": 1}, headers={"if-none-match": "*"})

    own = (await desk.get("/audit", actor="walt"))["items"]
    puts = (await desk.get("/audit", action=own[0]["action"], subject="tenant/acme/*"))["items"]
    later = (await desk.get("/audit", since="2199-01-01T00:00:00Z"))["items"]

    assert [each["subject"] for each in own] == ["tenant/acme/project/main/notes/b"]
    assert [each["actor"] for each in puts] == ["walt", "anna"]
    assert later == []


async def test_of_a_long_topic_no_more_lines_are_counted_than_were_asked_for(desk: Desk) -> None:
    await stocked(desk.database)

    async with desk.database.tenant("acme") as tx:
        few, all_of_them = [
            {each.name: each for each in await messages.topics(tx, counted=counted)}["topic"] for counted in (2, None)
        ]

    assert (few.messages, few.dead_letters) == (2, 2)
    assert (all_of_them.messages, all_of_them.dead_letters) == (COUNT, COUNT)
    assert (few.oldest_at, few.newest_at) == (all_of_them.oldest_at, all_of_them.newest_at)
