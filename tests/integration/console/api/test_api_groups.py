"""Refused records by what is wrong with them: looked at together, tried again and given up many at a time."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import COUNT, stocked

from windrow.console.ports import Ports
from windrow.contracts.errors import Code, ValidationFailure
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Verdict

OTHER = b"""INSERT INTO quarantine (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, reasons, excerpt)
  SELECT tenant_id, project_id, 'gone', id, lane, run_id, observation, position, reasons, excerpt FROM quarantine
   WHERE tenant_id = 'acme' ORDER BY id LIMIT 1"""


MANY = b"""INSERT INTO quarantine (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, reasons, excerpt, record)
  SELECT q.tenant_id, q.project_id, q.endpoint_id, to_hex(number), q.lane, q.run_id, q.observation, q.position, q.reasons, q.excerpt, q.record
    FROM (SELECT * FROM quarantine WHERE tenant_id = 'acme' AND endpoint_id = 'shop' LIMIT 1) AS q, generate_series(1, 250) AS number"""


class Retries:
    """Remembers what it was asked to try again; an endpoint that is gone it cannot open."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(
        self, _scope: object, endpoint: str, entries: Sequence[Quarantined], *_: object
    ) -> list[Attempt]:
        if endpoint == "gone":
            raise ValidationFailure("endpoint 'gone' was removed", code=Code.NOT_FOUND)
        self.asked += [entry.id for entry in entries]
        assert all(entry.record for entry in entries), "whole, as a retry needs them"
        return [Attempt(entry, Verdict.REFUSED) for entry in entries]


@pytest.fixture
def retries() -> Retries:
    return Retries()


@pytest.fixture
def ports(ports: Ports, retries: Retries) -> Ports:
    return replace(ports, retry=retries)


async def grouped(desk: Desk) -> str:
    """The key of what is wrong with all of them, one of another endpoint among them."""
    await stocked(desk.database)
    async with desk.database.tenant("acme") as tx:
        await tx.connection.execute(OTHER)
    (group,) = (await desk.get("/quarantine/groups"))["items"]
    return str(group["key"])


async def test_records_with_the_same_thing_wrong_are_one_group(desk: Desk) -> None:
    key = await grouped(desk)

    (group,) = (await desk.get("/quarantine/groups"))["items"]
    (own,) = (await desk.get("/quarantine/groups", endpoint="shop"))["items"]
    entries = (await desk.get("/quarantine", group=key))["items"]

    assert (group["count"], group["is_all"], group["endpoints"], own["count"]) == (COUNT + 1, True, 2, COUNT)
    assert group["example"] in entries
    assert group["reasons"]
    assert len(entries) == COUNT + 1
    assert (await desk.get("/quarantine", group="0" * 12))["items"] == []


async def test_a_group_is_tried_again_call_by_call_and_none_twice(desk: Desk, retries: Retries) -> None:
    key = await grouped(desk)
    async with desk.database.tenant("acme") as tx:
        await tx.connection.execute(MANY)
    said = {"group": key, "reason": "mended"}

    first = (await desk.ask("POST", "/quarantine/retry", json=said)).json()
    second = (await desk.ask("POST", "/quarantine/retry", json=said | {"after": first["next"]})).json()
    strange = await desk.ask("POST", "/quarantine/retry", json={"group": "0" * 12, "after": first["next"]})

    assert (first["left"], second["left"], second["next"]) == (54, 0, None)
    assert len(set(retries.asked)) == len(retries.asked) == COUNT + 250
    assert first["outcomes"]["refused"] + second["outcomes"]["refused"] == COUNT + 250
    assert strange.status_code == 400


async def test_the_trouble_with_one_endpoint_holds_up_no_other_and_is_told(desk: Desk, retries: Retries) -> None:
    key = await grouped(desk)

    done = (await desk.ask("POST", "/quarantine/retry", json={"group": key})).json()
    alone = await desk.ask("POST", "/quarantine/retry", json={"group": key, "endpoint": "gone"})

    assert (done["outcomes"], done["untried"]) == ({"refused": COUNT}, 1)
    assert [(each["endpoint"], each["code"]) for each in done["troubles"]] == [("gone", "NOT_FOUND")]
    assert (alone.status_code, alone.json()["detail"]) == (422, "endpoint 'gone' was removed")
    assert len(retries.asked) == COUNT


async def test_a_group_is_given_up_as_it_was_when_somebody_looked(desk: Desk) -> None:
    key = await grouped(desk)
    said = {"group": key, "endpoint": "shop", "reason": "never mind"}
    once = {"idempotency-key": "first"}

    early = await desk.ask("POST", "/quarantine/dismiss", json=said | {"until": "2020-01-01T00:00:00Z"})
    strange = await desk.ask("POST", "/quarantine/dismiss", "token-of-other", json=said)
    done, replayed, late = [
        await desk.ask("POST", "/quarantine/dismiss", json=said, headers=headers) for headers in (once, once, {})
    ]
    line = next(each for each in (await desk.get("/audit"))["items"] if each["action"] == "quarantine.drop")

    assert (early.json(), strange.json()) == ({"dismissed": 0, "left": COUNT}, {"dismissed": 0, "left": 0})
    assert (done.json(), replayed.json(), late.json()) == (
        {"dismissed": COUNT, "left": 0},
        {"dismissed": COUNT, "left": 0},
        {"dismissed": 0, "left": 0},
    )
    assert (line["actor"], line["reason"], len(line["details"]["entries"])) == ("anna", "never mind", COUNT)
    assert [each["endpoint_id"] for each in (await desk.get("/quarantine"))["items"]] == ["gone"]
