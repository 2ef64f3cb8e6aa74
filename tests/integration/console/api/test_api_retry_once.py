"""Refused records tried again under a key: done once and answered alike, though the process dies or the client is impatient."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.harvest import script
from tests.integration.harvest.script import Script, thing
from tests.integration.harvest.shop import open_shop, run_slice
from tests.integration.harvest.test_harvest_retrying import Mended

from windrow.console.ports import Ports
from windrow.contracts.errors import Code, RetryableTransient
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest import retrying
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Witness, unwitnessed
from windrow.postgres import Database, Transaction

KEY = {"idempotency-key": "retry-1"}
MENDED = {"reason": "mended"}


async def nothing(_endpoint: str) -> None:
    """Happens."""


class Retries:
    """Today's connector, and what happens before its transaction, at the end of it, and behind it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.endpoints: dict[str, Endpoint] = {}
        self.before: Callable[[str], Awaitable[None]] = nothing
        self.at_its_end: Callable[[str], Awaitable[None]] = nothing
        self.behind: Callable[[str], Awaitable[None]] = nothing

    async def __call__(
        self,
        _scope: Scope,
        name: str,
        entries: Sequence[Quarantined],
        actor: Actor,
        reason: str | None,
        witness: Witness = unwitnessed,
        /,
    ) -> list[Attempt]:
        async def watched(tx: Transaction, attempts: list[Attempt]) -> None:
            await witness(tx, attempts)
            await self.at_its_end(name)

        await self.before(name)
        connector = Mended(Script(), "retry")
        done = await retrying.retry(
            self._database, connector, self.endpoints[name], entries, actor=actor, reason=reason, witness=watched
        )
        await self.behind(name)
        return done.attempts

    async def refuse(self, name: str, *records: dict[str, Any]) -> None:
        self.endpoints[name] = await open_shop(self._database, name)
        await run_slice(self._database, Script.of(script.Said(list(records))), self.endpoints[name], f"run-of-{name}")


@pytest.fixture
def retries(database: Database) -> Retries:
    return Retries(database)


@pytest.fixture
def ports(ports: Ports, retries: Retries) -> Ports:
    return replace(ports, retry=retries)


async def trail(desk: Desk) -> int:
    """How often somebody has tried."""
    return len([each for each in (await desk.get("/audit"))["items"] if each["action"] == "quarantine.retry"])


async def one_entry(desk: Desk, retries: Retries) -> str:
    """The address of its retry."""
    await retries.refuse("shop", thing("a", colour="red"))
    (entry,) = (await desk.get("/quarantine"))["items"]
    return f"/quarantine/shop/{entry['id']}/retry"


async def test_who_dies_behind_the_commit_has_answered(desk: Desk, retries: Retries) -> None:
    path = await one_entry(desk, retries)

    async def die(_: str) -> None:
        raise RuntimeError("killed")

    retries.behind = die
    died = await desk.ask("POST", path, json=MENDED, headers=KEY)
    retries.before = die
    again = await desk.ask("POST", path, json=MENDED, headers=KEY)

    assert died.status_code == 500
    assert (again.status_code, again.json()) == (200, {"outcome": "published", "reasons": []})
    assert again.headers["idempotency-replayed"] == "true"
    assert await trail(desk) == 1


async def test_who_dies_before_the_commit_has_used_no_key(desk: Desk, retries: Retries) -> None:
    path = await one_entry(desk, retries)

    async def die(_: str) -> None:
        raise RuntimeError("killed")

    retries.before = die
    died = await desk.ask("POST", path, json=MENDED, headers=KEY)
    retries.before = nothing
    again = await desk.ask("POST", path, json=MENDED, headers=KEY)

    assert (died.status_code, again.status_code, again.json()["outcome"]) == (500, 200, "published")
    assert "idempotency-replayed" not in again.headers


async def test_of_the_same_retry_twice_at_once_one_is_done_and_both_are_answered_alike(
    desk: Desk, retries: Retries
) -> None:
    path = await one_entry(desk, retries)
    met = asyncio.Barrier(2)

    async def meet(_: str) -> None:
        await met.wait()

    retries.before = meet
    async with asyncio.timeout(10):
        both = await asyncio.gather(*(desk.ask("POST", path, json=MENDED, headers=KEY) for _ in range(2)))

    assert [answer.json()["outcome"] for answer in both] == ["published"] * 2
    assert sorted(answer.headers.get("idempotency-replayed", "") for answer in both) == ["", "true"]
    assert await trail(desk) == 1


async def test_who_asks_again_while_the_first_is_still_persisting_hears_what_came_of_it(
    desk: Desk, retries: Retries
) -> None:
    path = await one_entry(desk, retries)
    reached, persisted = asyncio.Event(), asyncio.Event()

    async def persist(_: str) -> None:
        reached.set()
        await persisted.wait()

    retries.behind = persist
    async with asyncio.timeout(10):
        first = asyncio.create_task(desk.ask("POST", path, json=MENDED, headers=KEY))
        await reached.wait()
        impatient = await desk.ask("POST", path, json=MENDED, headers=KEY)
        persisted.set()
        patient = await first

    assert impatient.json() == patient.json() == {"outcome": "published", "reasons": []}
    assert await trail(desk) == 1


async def test_a_group_that_died_in_between_tells_what_was_done_and_where_to_go_on(
    desk: Desk, retries: Retries
) -> None:
    await retries.refuse("barn", *(thing(name, colour="red") for name in "ab"))
    await retries.refuse("shop", *(thing(name, colour="red") for name in "cd"))
    (group,) = (await desk.get("/quarantine/groups"))["items"]
    said = MENDED | {"group": group["key"]}

    async def die(name: str) -> None:
        if name == "shop":
            raise RuntimeError("killed")

    retries.before = die
    died = await desk.ask("POST", "/quarantine/retry", json=said, headers=KEY)
    retries.before = nothing
    again = (await desk.ask("POST", "/quarantine/retry", json=said, headers=KEY)).json()
    rest = (await desk.ask("POST", "/quarantine/retry", json=said | {"after": again["next"]})).json()

    assert died.status_code == 500
    assert (again["outcomes"], again["left"], again["untried"]) == ({"published": 2}, 2, 0)
    assert again["next"], "there is more to be done"
    assert (rest["outcomes"], rest["left"], rest["next"]) == ({"published": 2}, 0, None)
    assert await trail(desk) == 2


async def test_a_step_of_a_group_that_was_undone_keeps_no_answer_and_the_next_one_does(
    desk: Desk, retries: Retries
) -> None:
    for name in ("barn", "shop"):
        await retries.refuse(name, thing(name, colour="red"))
    (group,) = (await desk.get("/quarantine/groups"))["items"]

    async def undo(name: str) -> None:
        if name == "barn":
            raise RetryableTransient("the connection is gone", code=Code.NETWORK)

    retries.at_its_end = undo
    both = [await desk.ask("POST", "/quarantine/retry", json={"group": group["key"]}, headers=KEY) for _ in range(2)]

    assert both[0].json() == both[1].json()
    assert (both[0].json()["outcomes"], both[0].json()["untried"]) == ({"published": 1}, 1)
    assert both[1].headers["idempotency-replayed"] == "true"
    assert await trail(desk) == 1


async def test_the_same_group_twice_at_once_is_tried_once(desk: Desk, retries: Retries) -> None:
    await retries.refuse("shop", *(thing(name, colour="red") for name in "ab"))
    (group,) = (await desk.get("/quarantine/groups"))["items"]
    met = asyncio.Barrier(2)

    async def meet(_: str) -> None:
        await met.wait()

    retries.before = meet
    async with asyncio.timeout(10):
        both = await asyncio.gather(
            *(desk.ask("POST", "/quarantine/retry", json={"group": group["key"]}, headers=KEY) for _ in range(2))
        )

    assert [(each.json()["outcomes"], each.json()["next"]) for each in both] == [({"published": 2}, None)] * 2
    assert await trail(desk) == 1


async def test_what_was_committed_counts_though_it_could_not_be_persisted_at_once(desk: Desk, retries: Retries) -> None:
    await retries.refuse("shop", thing("a", colour="red"))
    (group,) = (await desk.get("/quarantine/groups"))["items"]

    async def give_up(_: str) -> None:
        raise RetryableTransient("the subscriber is away", code=Code.NETWORK)

    retries.behind = give_up
    done = (await desk.ask("POST", "/quarantine/retry", json={"group": group["key"]})).json()

    assert (done["outcomes"], done["untried"]) == ({"published": 1}, 0)
    assert [each["detail"] for each in done["troubles"]] == ["the subscriber is away"]
