"""The steps in the middle of a run, by what they leave behind: fetched, normalized, persisted, advanced."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from tests.conftest import Said
from tests.integration.harvest.shop import ACME, OPERATOR, Shop, ShopConfig, ShopConnector, context_of, rows
from tests.integration.orchestration.stage import Turnstile, children, staged, timers, until_said

from windrow import kv
from windrow.contracts.errors import RateLimited
from windrow.contracts.identity import Identity
from windrow.contracts.page import Cursor, Page
from windrow.harvest import steering
from windrow.harvest.advancing import directive_key
from windrow.harvest.cursors import Cursors
from windrow.outbox.lane import Lane
from windrow.postgres import Database


class Counter(Shop):
    """A source that notes how much it was asked for, and once says when to come back."""

    def __init__(self, things: int) -> None:
        super().__init__()
        self.puts(*(f"thing-{number:03d}" for number in range(things)))
        self.sizes: list[int] = []
        self.words = iter([RateLimited("slow down", retry_after=900)])

    def connector(self, run_id: str = "run") -> ShopConnector:
        return _Counted(ShopConfig(), context_of(run_id), self)


class _Counted(ShopConnector):
    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        assert isinstance(self.shop, Counter)
        self.shop.sizes.append(page_size)
        async for page in super().fetch_pages(cursor, page_size):
            yield page
            if word := next(self.shop.words, None):
                raise word


@pytest.mark.req("MW-12", "MW-13", "MW-14")
async def test_what_a_source_gives_is_fetched_at_its_pace_normalized_and_persisted_once(
    database: Database, skipping: Client
) -> None:
    shop = Counter(things=120)
    shop.things["thing-007"] = {"entity_type": "thing", "external_id": "thing-007"}  # nameless: no item of the contract
    async with staged(database, skipping, shop, page_size=50) as stage:
        handle = await stage.start()
        done = await handle.result()

        # MW-12: so many a page and no more; when the source says when to come back, not before
        assert set(shop.sizes) == {50}
        (waited,) = await timers(skipping, stage.collection_id, (await children(handle))[0])
        assert 900 <= waited <= 902
        batches = await rows(database, "SELECT run_id, items, status, spec_ref FROM harvest_outbox ORDER BY seq")
        assert [batch["items"] for batch in batches] == [49, 50, 20]

        # MW-13: an item each, by the contract; what keeps not to it is put aside and the rest goes on
        found = {row["external_id"]: row for row in await rows(database, "SELECT * FROM items")}
        assert found.keys() == shop.things.keys() - {"thing-007"}
        one = found["thing-000"]
        assert str(one["item_id"]) == Identity(ACME, stage.endpoint.endpoint_id).item_id("thing-000")
        assert (one["source_system"], one["entity_type"], one["display_name"]) == ("shop", "thing", "Thing-000")
        assert (one["run_id"], one["spec_ref"]) == (done["run_id"], ShopConnector.spec.spec_ref)
        (refused,) = await rows(database, "SELECT external_id, run_id FROM quarantine")
        assert (refused["external_id"], refused["run_id"]) == ("thing-007", done["run_id"])

        # MW-14: through the outbox, each batch settled; the same again is the same rows
        assert {(batch["status"], batch["run_id"]) for batch in batches} == {("processed", done["run_id"])}
        assert (done["settled"]["created"], done["settled"]["pending"]) == (119, 0)
        shop.puts("thing-001", display_name="Another")
        again = await (await stage.start()).result()
        assert (again["settled"]["updated"], again["settled"]["unchanged"]) == (1, 118)
        after = {row["external_id"]: row for row in await rows(database, "SELECT * FROM items")}
        assert {name: row["item_id"] for name, row in after.items()} == {
            name: row["item_id"] for name, row in found.items()
        }
        assert [name for name, row in after.items() if row != found[name]] == ["thing-001"]


@pytest.mark.req("MW-15")
async def test_a_cursor_that_somebody_else_has_moved_is_not_written_over(
    database: Database, skipping: Client, said: Said
) -> None:
    shop = Turnstile(things=120)
    async with staged(database, skipping, shop, page_size=50) as stage:
        handle = await stage.start()
        assert await shop.reached.get() is None
        shop.lets(1)
        assert await shop.reached.get() == {"after": "thing-049"}
        await until_said(said, "harvest.published")
        moved = await move(stage.database, stage.endpoint.endpoint_id, None)
        shop.lets(2)

        assert await shop.reached.get() == {"after": "thing-099"}, "a page ahead"
        assert await shop.reached.get() is None, "it is read from where the operator has put it"
        cursor, directive = await cursors(database, stage.endpoint.endpoint_id)
        assert (cursor.version, cursor.value["cursor_token"]) == (moved, None)
        assert directive is None, "nothing of the run is verified yet"
        shop.lets(10)
        done = await handle.result()

        assert await stage.states() == ["Pending", "Running", "WaitingCursorAdvance", "Running", "Completed"]
        assert len(await stage.items()) == 120
        _, directive = await cursors(database, stage.endpoint.endpoint_id)
        assert directive
        assert (directive.version, directive.value["run_id"]) == (1, done["run_id"])
        assert directive.value["processed_count"] == 50 + 120, "all that was published, also before the conflict"


async def move(database: Database, endpoint_id: str, cursor: Cursor) -> int:
    """As an operator does."""
    async with database.tenant(ACME.tenant_id) as tx:
        return await steering.override(
            tx,
            Cursors(Lane(ACME, endpoint_id), "cursor"),
            cursor,
            spec_ref="spec@1",
            reason="read it again",
            actor=OPERATOR,
            expected=None,
        )


async def cursors(database: Database, endpoint_id: str) -> tuple[Any, Any]:
    """The harvest's own, and the one that follows it when all is verified."""
    lane = Lane(ACME, endpoint_id)
    return await kv.get(database, Cursors(lane, "shop").key), await kv.get(database, directive_key(lane))
