"""The rows of one tenant, read at once, and what was found wrong with them."""

import json
from collections import defaultdict
from typing import Any

from tests.stories.harvest.gazette import LANES
from tests.stories.harvest.roles import ENDPOINT

from windrow import kv
from windrow.contracts.scope import Scope
from windrow.harvest.cursors import Cursors
from windrow.outbox.lane import Lane
from windrow.postgres import Database

Row = dict[str, Any]
# what can become of an item, as the outbox counts it
RESULTS = ("created", "updated", "deleted", "unchanged", "outdated")
_TABLES = {
    "items": "SELECT * FROM items",
    "history": "SELECT * FROM item_history ORDER BY item_id, revision",
    "relations": "SELECT * FROM item_relations",
    # the transaction that wrote a row last is the one that settled the batch
    "outbox": "SELECT *, xmin::text AS settled_by FROM harvest_outbox ORDER BY lane, seq",
    "runs": "SELECT * FROM harvest_runs",
    "quarantine": "SELECT * FROM quarantine",
    "listings": "SELECT * FROM listings ORDER BY generation",
    "feed": "SELECT m.payload FROM messages m JOIN topic_log l USING (tenant_id, topic, message_id)"
    " WHERE m.topic = 'catalog.changes' ORDER BY l.seq",
}


class Ledger:
    """What the database says about a tenant."""

    def __init__(self, tenant: str, tables: dict[str, list[Row]], cursors: dict[str, Any]) -> None:
        self.tenant, self.cursors = tenant, cursors
        self._tables = tables
        self.wrong: list[str] = []
        self.names = {str(row["item_id"]): row["external_id"] for row in tables["items"]}
        self.batches = {lane: [row for row in tables["outbox"] if row["lane"] == lane] for lane in LANES}

    def __getitem__(self, table: str) -> list[Row]:
        return self._tables[table]

    def same(self, what: str, found: Any, due: Any) -> None:
        """Note it if what was found is not what is due."""
        if found != due:
            self.wrong.append(f"{self.tenant}: {what}: {found!r}, not {due!r}")

    def sheets(self, lane: str) -> list[list[Row]]:
        """The batches of each issue: more than one where it was too large."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.batches[lane]:
            found[row["observation"]].append(row)
        return list(found.values())

    def transactions(self, lane: str) -> dict[str, list[Row]]:
        """The batches that were settled together."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.batches[lane]:
            found[row["settled_by"]].append(row)
        return found


async def read(database: Database, tenant: str) -> Ledger:
    """As the tenant itself sees it."""
    async with database.tenant(tenant) as tx:
        tables = {
            name: await (await tx.connection.execute(query.encode())).fetchall() for name, query in _TABLES.items()
        }
        cursors = {}
        for lane in LANES:
            found = await kv.get(tx, Cursors(Lane(Scope(tenant, "main"), ENDPOINT, lane), ENDPOINT).key)
            cursors[lane] = (found.value["cursor_token"], found.version) if found else None
    return Ledger(tenant, tables, cursors)


def payload(row: Row) -> list[Row]:
    """The items of a batch."""
    found: list[Row] = json.loads(row["payload"])
    return found
