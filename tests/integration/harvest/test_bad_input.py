"""Whatever a source sends ends in the catalog, in quarantine or in a classified error; the rest goes on, and nothing hangs."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.hostile import BAD, CASES, Broken, Case, Mended, Quarantined, Whole
from tests.fakes.web import Web
from tests.integration.harvest.shop import catalog, context_of, open_shop, order_of, persist, rows

from windrow.contracts.errors import WindrowError
from windrow.endpoints import Endpoint
from windrow.harvest.run import Outcome
from windrow.harvest.slice import SliceReport, harvest
from windrow.http import HttpClient
from windrow.postgres import Database

LONGEST = 60


async def harvested(database: Database, web: Web, case: Case, endpoint: Endpoint) -> SliceReport:
    """One slice of the case's source, which must end by itself."""
    context = replace(context_of("run-1"), http=lambda policy: HttpClient(replace(policy, allow=(web.door,))))
    connector = case.connector(context, web)
    try:
        async with asyncio.timeout(LONGEST):
            return await harvest(database, connector, order_of(endpoint, "run-1"))
    finally:
        await connector.close()


async def quarantined(database: Database) -> list[dict[str, Any]]:
    return await rows(database, "SELECT * FROM quarantine ORDER BY first_at")


def of(kind: type) -> list[Any]:
    """The cases of which this comes; those about what Postgres cannot hold prove NI-5."""
    return [
        pytest.param(case, id=case.name, marks=[pytest.mark.req("NI-5")] if case.unstorable else [])
        for case in CASES
        if isinstance(case.comes, kind)
    ]


@pytest.fixture
async def web() -> Any:
    async with Web() as server:
        yield server


@pytest.mark.parametrize("case", of(Mended))
async def test_what_is_harmless_is_mended_and_published(database: Database, web: Web, case: Case) -> None:
    endpoint = await open_shop(database)

    report = await harvested(database, web, case, endpoint)
    await persist(database, endpoint)

    assert isinstance(case.comes, Mended)
    assert report.outcome is Outcome.DONE
    assert report.totals.quarantined == 0
    found = await catalog(database)
    assert len(found) == report.totals.published >= 41
    assert {name: found[BAD][name] for name in case.comes.fields} == case.comes.fields


@pytest.mark.parametrize("case", of(Quarantined))
async def test_what_cannot_be_mended_is_quarantined_and_the_rest_goes_on(
    database: Database, web: Web, case: Case
) -> None:
    endpoint = await open_shop(database)

    report = await harvested(database, web, case, endpoint)
    await persist(database, endpoint)

    assert isinstance(case.comes, Quarantined)
    assert report.outcome is Outcome.DONE
    assert report.totals.quarantined == 1
    assert report.totals.published >= 40
    assert len(await catalog(database)) == report.totals.published
    [kept] = await quarantined(database)
    assert [reason["why"] for reason in kept["reasons"]] == list(case.comes.whys)
    assert all(reason["message"] for reason in kept["reasons"])
    assert kept["excerpt"]


@pytest.mark.parametrize("case", of(Broken))
async def test_a_broken_source_ends_the_slice_with_a_classified_error_and_what_came_before_stands(
    database: Database, web: Web, case: Case
) -> None:
    endpoint = await open_shop(database)

    with pytest.raises(WindrowError) as broken:
        await harvested(database, web, case, endpoint)
    await persist(database, endpoint)

    assert isinstance(case.comes, Broken)
    assert isinstance(broken.value, case.comes.kind), broken.value
    assert broken.value.code is case.comes.code
    assert "\n" not in broken.value.message
    assert len(broken.value.message) < 1000
    assert len(await catalog(database)) == case.comes.stands


@pytest.mark.parametrize("case", of(Whole))
async def test_what_is_only_large_arrives(database: Database, web: Web, case: Case) -> None:
    endpoint = await open_shop(database)

    report = await harvested(database, web, case, endpoint)
    await persist(database, endpoint)

    assert isinstance(case.comes, Whole)
    assert report.totals.published == case.comes.good
    assert await rows(database, "SELECT count(*) AS n FROM items") == [{"n": case.comes.good}]
    [largest] = await rows(database, "SELECT max(bytes) AS bytes FROM harvest_outbox")
    assert largest["bytes"] <= 50 * 1024 * 1024
