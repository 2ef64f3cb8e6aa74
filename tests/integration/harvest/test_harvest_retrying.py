"""Quarantined records, tried again: what passes is published once, as old as it is; what fails stays with its reasons."""

import asyncio
from typing import Any

import pytest
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.hand import Hand
from tests.integration.harvest.lossy import LossyDatabase, once
from tests.integration.harvest.script import NAMELESS, Script, thing
from tests.integration.harvest.shop import ACME, OPERATOR, catalog, open_shop, rows, run_slice, subscriber_of

from windrow.contracts.errors import RetryableTransient
from windrow.endpoints import Endpoint
from windrow.harvest import quarantine, retrying
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import PREFIX, Retried, Verdict
from windrow.outbox.lane import Lane
from windrow.postgres import Database, audit

BROKEN = thing("x") | {"colour": "red"}


class Mended(script.ScriptConnector):
    """Today's mapping knows colours, and gives a name to what has none."""

    def item(self, record: Any) -> dict[str, Any]:
        said = {"external_id": "nobody", "display_name": "Nobody", **super().item(record)}
        colour = said.pop("colour", None)
        return said | ({"labels": [colour]} if colour else {})


async def entries(database: Database) -> list[Quarantined]:
    async with database.tenant(ACME.tenant_id) as tx:
        return await quarantine.listed(tx, state=None)


async def retried(database: Database, endpoint: Endpoint, chosen: list[Quarantined] | None = None) -> Retried:
    """All that is open, tried again and persisted."""
    chosen = chosen or [entry for entry in await entries(database) if entry.state == "open"]
    done = await retrying.retry(database, Mended(Script(), "retry"), endpoint, chosen, actor=OPERATOR, reason="mended")
    if done.lane:
        await subscriber_of(database).drain(done.lane)
        await retrying.finish(database, done)
    return done


def verdicts(done: Retried) -> list[Verdict]:
    return [attempt.verdict for attempt in done.attempts]


async def test_what_passes_today_is_published_with_the_observation_that_it_was_read_with(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN, thing("y")])), endpoint)
    (entry,) = await entries(database)

    done = await retried(database, endpoint)

    assert verdicts(done) == [Verdict.PUBLISHED]
    item = (await catalog(database))["x"]
    assert (item["labels"], item["observation"], item["run_id"]) == (["red"], entry.observation, done.run_id)
    assert [each.state for each in await entries(database)] == ["retried"]
    (line,) = said.events("quarantine.retried")
    assert (line["published"], line["refused"], line["actor"]) == (1, 0, "ada")
    async with database.tenant(ACME.tenant_id) as tx:
        (trail,) = await audit.history(tx, subject="quarantine/shop")
    assert (trail.action, trail.reason, (trail.details or {})["entries"]) == ("quarantine.retry", "mended", [entry.id])


async def test_what_fails_again_stays_with_the_reasons_of_today(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN | {"entity_type": "Not a name"}])), endpoint)
    before = (await entries(database))[0].reasons

    done = await retried(database, endpoint)

    assert verdicts(done) == [Verdict.REFUSED]
    assert done.lane is None
    (entry,) = await entries(database)
    assert (entry.state, entry.times) == ("open", 1)
    assert {reason["path"] for reason in entry.reasons} == {"/entity_type"} != {reason["path"] for reason in before}
    assert await catalog(database) == {}


async def test_a_record_that_was_not_kept_whole_is_not_tried(database: Database) -> None:
    endpoint = await open_shop(database)
    secret = BROKEN | {"external_id": "s", "attributes": {"api_key": "hunter2"}}
    large = BROKEN | {"external_id": "l", "attributes": {"body": "x y" * 100_000}}
    await run_slice(database, Script.of(script.Said([secret, large])), endpoint)

    done = await retried(database, endpoint)

    assert verdicts(done) == [Verdict.NOT_KEPT, Verdict.NOT_KEPT]
    assert [entry.state for entry in await entries(database)] == ["open", "open"]


async def test_several_are_published_in_the_order_in_which_they_were_read(database: Database) -> None:
    endpoint = await open_shop(database)
    pages = [script.Said([BROKEN | {"external_id": f"x{number}"}]) for number in range(3)]
    await run_slice(database, Script.of(*pages), endpoint)

    done = await retried(database, endpoint, sorted(await entries(database), key=lambda entry: entry.id))

    batches = await rows(database, "SELECT seq, observation FROM harvest_outbox ORDER BY seq")
    assert [row["seq"] for row in batches] == [1, 2, 3]
    assert [row["observation"] for row in batches] == sorted(row["observation"] for row in batches)
    (run,) = await rows(
        database, f"SELECT published, outcome, settled FROM harvest_runs WHERE run_id = '{done.run_id}'"
    )
    assert (run["published"], run["outcome"], run["settled"]["created"]) == (3, "done", 3)


async def test_a_retry_leaves_no_lane_behind(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)

    done = await retried(database, endpoint)

    assert done.lane
    assert done.lane.name.startswith(PREFIX)
    assert [row["lane"] for row in await rows(database, "SELECT lane FROM harvest_lanes")] == ["live"]
    assert [row["lane"] for row in await rows(database, "SELECT lane FROM outbox_lanes")] == ["live"]


async def test_a_lane_that_is_not_persisted_yet_is_closed_and_stays(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)
    done = await retrying.retry(database, Mended(Script(), "retry"), endpoint, await entries(database), actor=OPERATOR)

    settled = await retrying.finish(database, done)

    assert settled["pending"] == 1
    assert len(await rows(database, "SELECT FROM outbox_lanes")) == 2
    assert await rows(database, "SELECT FROM harvest_lanes WHERE floor IS NOT NULL") == []


async def test_a_newer_word_of_the_source_stands(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)
    chosen = await entries(database)
    await run_slice(database, Script.of(script.Said([thing("x", display_name="newer")])), endpoint, "run-2")
    await subscriber_of(database).drain(Lane(ACME, "shop"))

    done = await retried(database, endpoint, chosen)

    assert verdicts(done) == [Verdict.CHANGED]
    assert [entry.state for entry in await entries(database)] == ["overtaken"]
    assert (await catalog(database))["x"]["display_name"] == "newer"


async def test_it_stands_also_where_the_newer_word_changed_nothing(database: Database) -> None:
    endpoint = await open_shop(database)
    for run, page in (("run-1", thing("x")), ("run-2", BROKEN), ("run-3", thing("x"))):
        await run_slice(database, Script.of(script.Said([page])), endpoint, run)
        await subscriber_of(database).drain(Lane(ACME, "shop"))

    assert [entry.state for entry in await entries(database)] == ["overtaken"]
    assert (await catalog(database))["x"]["labels"] == []


async def test_a_known_item_of_the_live_lane_is_brought_up_to_date(database: Database) -> None:
    endpoint = await open_shop(database)
    for run, page in (("run-1", thing("x")), ("run-2", BROKEN)):
        await run_slice(database, Script.of(script.Said([page])), endpoint, run)
        await subscriber_of(database).drain(Lane(ACME, "shop"))

    done = await retried(database, endpoint)

    assert verdicts(done) == [Verdict.PUBLISHED]
    assert (await catalog(database))["x"]["labels"] == ["red"]


@pytest.mark.parametrize("record", [BROKEN, NAMELESS], ids=["of another lane", "without a name"])
async def test_where_nobody_can_tell_which_news_is_newer_nothing_is_overwritten(
    database: Database, record: dict[str, Any]
) -> None:
    endpoint = await open_shop(database)
    lane = "backfill:1" if record is BROKEN else "live"
    await run_slice(database, Script.of(script.Said([thing("x"), thing("nobody")])), endpoint, "run-1")
    await subscriber_of(database).drain(Lane(ACME, "shop"))
    await run_slice(database, Script.of(script.Said([record])), endpoint, "run-2", lane=lane)
    before = await catalog(database)

    done = await retried(database, endpoint)

    assert verdicts(done) == [Verdict.KNOWN]
    assert await catalog(database) == before
    assert [entry.state for entry in await entries(database)] == ["open"]


async def test_a_nameless_record_whose_item_is_new_is_added(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([NAMELESS])), endpoint)

    assert verdicts(await retried(database, endpoint)) == [Verdict.PUBLISHED]
    assert (await catalog(database)).keys() == {"nobody"}


async def test_what_is_gone_is_not_brought_back_by_a_nameless_record(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(thing("nobody", deleted=True))
    await hand.asks_and_says(NAMELESS)
    await hand.is_persisted()

    assert verdicts(await retried(database, endpoint)) == [Verdict.KNOWN]
    assert await catalog(database) == {}


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_crash_around_the_commit_neither_loses_nor_doubles(
    database: Database, database_url: str, moment: str
) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)
    chosen = await entries(database)

    async with LossyDatabase(database_url, once(moment, 1)) as lossy:
        with pytest.raises(RetryableTransient):
            await retrying.retry(lossy, Mended(Script(), "retry"), endpoint, chosen, actor=OPERATOR)
    again = await retried(database, endpoint, chosen)

    assert verdicts(again) == [Verdict.PUBLISHED if moment == "before" else Verdict.CHANGED]
    batches = await rows(database, "SELECT lane FROM harvest_outbox")
    assert len(batches) == 1
    await subscriber_of(database).drain(Lane(ACME, "shop", batches[0]["lane"]))
    assert (await catalog(database))["x"]["revision"] == 1


async def test_two_operators_at_once_publish_a_record_once(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)
    chosen = await entries(database)

    both = await asyncio.gather(*(retried(database, endpoint, chosen) for _ in range(2)))

    assert sorted(verdict for done in both for verdict in verdicts(done)) == [Verdict.CHANGED, Verdict.PUBLISHED]
    assert len(await rows(database, "SELECT FROM harvest_outbox")) == 1


async def test_nobody_persists_anything_of_the_endpoint_while_it_is_decided_what_is_known(database: Database) -> None:
    endpoint = await open_shop(database)
    hand = await Hand.begins(database, endpoint)
    await hand.asks_and_says(thing("x"))
    async with database.tenant(ACME.tenant_id) as tx:
        await retrying.claim.hold_still(tx, ACME, "shop")

        await hand.is_persisted()

        assert await catalog(database) == {}
    await hand.is_persisted()
    assert (await catalog(database)).keys() == {"x"}


async def test_a_mapping_that_raises_is_a_reason_like_any_other(database: Database) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)

    class Worse(script.ScriptConnector):
        def transform(self, _: Any) -> Any:
            raise ZeroDivisionError("worse than before")

    done = await retrying.retry(database, Worse(Script(), "retry"), endpoint, await entries(database), actor=OPERATOR)

    assert verdicts(done) == [Verdict.REFUSED]
    assert "worse than before" in (await entries(database))[0].reasons[0]["message"]


async def test_a_dropped_record_stays_dropped_until_it_is_refused_again(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint)
    chosen = await entries(database)

    async with database.tenant(ACME.tenant_id) as tx:
        assert await quarantine.drop(tx, chosen[0], actor=OPERATOR, reason="known to be so")
        assert not await quarantine.drop(tx, chosen[0], actor=OPERATOR, reason="twice")

    assert [entry.state for entry in await entries(database)] == ["dropped"]
    assert verdicts(await retried(database, endpoint, chosen)) == [Verdict.CHANGED]
    assert [line["entries"] for line in said.events("quarantine.dropped")] == [1]
    async with database.tenant(ACME.tenant_id) as tx:
        trail = await audit.history(tx, subject="quarantine/shop")
    assert [(entry.action, entry.reason) for entry in trail][-1] == ("quarantine.drop", "known to be so")
    await run_slice(database, Script.of(script.Said([BROKEN])), endpoint, "run-2")
    assert [entry.state for entry in await entries(database)] == ["open"]


async def test_older_news_of_a_refused_record_does_not_replace_newer(database: Database) -> None:
    endpoint = await open_shop(database)
    slow, live = await Hand.begins(database, endpoint, "backfill:1"), await Hand.begins(database, endpoint)
    old, new = await slow.asks(), await live.asks()
    await live.says(new, BROKEN | {"colour": "new"})
    await slow.says(old, BROKEN | {"colour": "old"})

    (entry,) = await entries(database)

    assert (entry.observation, entry.lane) == (new, "live")
    assert "new" in (entry.record or "")
