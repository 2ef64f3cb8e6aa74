"""Every list is read page by page, whole and in order, with as many statements for many as for one."""

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import COUNT, MARK, TOKEN, stocked
from tests.integration.harvest.shop import Shop, open_shop, run_slice

from windrow.console.api.operations import OPERATIONS
from windrow.console.api.paging import MOST
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.page import Cursor

LISTS = {
    "/endpoints": {},
    "/runs": {},
    "/runs/run-0/batches": {},
    "/items": {"endpoint": "shop"},
    "/items/search": {"q": MARK},
    "/changes": {},
    "/quarantine": {},
    "/jobs": {},
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

    assert paged == set(LISTS)


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
    facets = await desk.get("/items/facets", endpoint="shop")

    assert item["provenance"]["run_id"] == "run-0"
    assert [each["kind"] for each in history["items"]] == ["created"]
    assert related == {"outgoing": [], "incoming": [], "more": False}
    assert facets["items"] == [{"endpoint_id": "shop", "entity_type": "thing", "items": 60, "deleted": 0}]
