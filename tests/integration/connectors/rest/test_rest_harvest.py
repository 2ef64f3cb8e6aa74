"""A definition harvested: what is in the catalog is what the API holds, and what is gone there is gone here."""

from pathlib import Path
from typing import Any

import pytest
from tests.conformance.pages_of_rest import config
from tests.fakes.bookish import Bookish

from windrow import endpoints
from windrow.app.syncing import synced
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database, Query
from windrow.settings import read

SCOPE = Scope("acme", "main")
HELD = Query("held", "what is compared", b"SELECT * FROM windrow.items WHERE NOT deleted")


async def held(database: Database) -> dict[str, dict[str, Any]]:
    async with database.tenant("acme") as tx:
        return {row["external_id"]: row for row in await tx.rows(HELD)}


def truth(shop: Bookish) -> dict[str, str]:
    """What there is: by id, what a person calls it."""
    projects = {key: row["name"] for key, row in shop.projects.items() if not row["archived"]}
    issues = {
        f"issue:{key}-{number}": row["title"].strip() for key in projects for number, row in shop.issues[key].items()
    }
    return {f"project:{key}": name for key, name in projects.items()} | issues


@pytest.mark.req("HV-43")
async def test_the_catalog_follows_the_source(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Bookish() as shop:
        monkeypatch.setenv("WINDROW_HOME", str(tmp_path))
        monkeypatch.setenv("WINDROW_ADDRESSES_ALLOWED", shop.door)
        monkeypatch.setenv("WINDROW_CREDENTIALS_ALLOWED", "acme=env:WINDROW_SECRET_SHOP")
        monkeypatch.setenv("WINDROW_SECRET_SHOP", shop.secret)
        tracker = Endpoint(
            scope=SCOPE,
            endpoint_id="tracker",
            connector="rest",
            config=config("tracker", shop),
            credential_ref="env:WINDROW_SECRET_SHOP",
        )
        async with database.tenant("acme") as tx:
            await endpoints.add(tx, tracker, Actor("test", "operator"))

        async def harvested() -> dict[str, str]:
            await synced(read(), database, SCOPE, "tracker", watch=lambda _: None, cancelled=lambda: False)
            return {name: row["display_name"] for name, row in (await held(database)).items()}

        assert await harvested() == truth(shop)
        looked = sum(each.path.endswith("/projects") for each in shop.requests)
        shop.mutate()
        assert await harvested() == truth(shop)

        # once to look whether it answers, then once a list: the second run does not look again
        assert looked == 2
        assert sum(each.path.endswith("/projects") for each in shop.requests) == 3
        row = (await held(database))["issue:P3-2"]
        assert (row["connector"], row["spec_ref"]) == ("rest", "connector.rest@1")
        assert shop.secret not in repr(await held(database))
