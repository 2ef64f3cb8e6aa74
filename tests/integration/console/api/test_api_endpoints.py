"""`/api/v1/endpoints`: added, edited over the version that was seen, removed, revived; tried before and after."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.console.api.desk import Desk

from windrow.console.ports import Ports
from windrow.console.trial import Finding, Trial
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Ended, Preview
from windrow.postgres import audit

WIKI: dict[str, Any] = {"name": "wiki", "connector": "files", "config": {"path": "/srv/wiki"}}


@pytest.fixture
def ports(ports: Ports) -> Ports:
    """Sources that can be read."""

    async def attempt(endpoint: Endpoint, shown: int) -> Trial:
        finding = Finding(name="source", well=True, detail=f"{endpoint.config['path']} can be read")
        return Trial(well=True, findings=[finding], records=shown)

    async def preview(endpoint: Endpoint, bounds: Bounds) -> Preview:
        return Preview(ended=Ended.ROWS, why=f"{bounds.rows} were asked for", items=[{"external_id": "a"}])

    return replace(ports, attempt=attempt, preview=preview)


async def audited(desk: Desk) -> list[str]:
    async with desk.database.tenant("acme") as tx:
        return [f"{line.actor} {line.action}" for line in await audit.history(tx)][::-1]


async def test_an_endpoint_lives_from_its_addition_to_its_revival(desk: Desk) -> None:
    added = await desk.ask("POST", "/endpoints", json=WIKI)
    seen = await desk.ask("GET", "/endpoints/wiki")
    edited = await desk.ask(
        "PATCH", "/endpoints/wiki", json={"schedule": "@daily"}, headers={"if-match": seen.headers["etag"]}
    )
    gone = await desk.ask("DELETE", "/endpoints/wiki", params={"reason": "it moved"})
    revived = await desk.ask("POST", "/endpoints", json=WIKI)

    assert (added.status_code, added.headers["location"]) == (201, "/api/v1/endpoints/wiki")
    assert (edited.json()["schedule"], edited.json()["config"]) == ("@daily", {"path": "/srv/wiki"})
    assert gone.json()["removed_at"] is not None
    assert revived.json()["version"] > gone.json()["version"]
    assert await audited(desk) == [
        "anna endpoints.add",
        "anna endpoints.edit",
        "anna endpoints.remove",
        "anna endpoints.revive",
    ]


async def test_an_edit_is_made_only_over_the_version_that_was_seen(desk: Desk) -> None:
    await desk.ask("POST", "/endpoints", json=WIKI)
    change = {"schedule": "@daily"}

    unsaid = await desk.ask("PATCH", "/endpoints/wiki", json=change)
    stale = await desk.ask("PATCH", "/endpoints/wiki", json=change, headers={"if-match": '"99"'})
    strange = await desk.ask("PATCH", "/endpoints/wiki", json=change, headers={"if-match": 'W/"x"'})
    any_of_them = await desk.ask("PATCH", "/endpoints/wiki", json=change, headers={"if-match": "*"})

    assert [unsaid.status_code, stale.status_code, strange.status_code, any_of_them.status_code] == [428, 412, 412, 200]
    assert stale.json()["code"] == "CAS_MISMATCH"


@pytest.mark.parametrize(
    "said",
    [
        WIKI | {"connector": "nothing-of-the-kind"},
        WIKI | {"config": {}},
        WIKI | {"config": {"path": "/srv", "colour": "red"}},
        WIKI | {"name": "Not A Name"},
        WIKI | {"schedule": "whenever"},
        WIKI | {"page_size": 5},
        WIKI | {"unheard_of": 1},
        WIKI | {"credential_ref": "env:X"},
        {"name": "wiki"},
    ],
)
async def test_what_cannot_be_harvested_is_refused_as_a_problem(desk: Desk, said: dict[str, Any]) -> None:
    answer = await desk.ask("POST", "/endpoints", json=said)

    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert await audited(desk) == []


async def test_a_secret_is_refused_and_never_repeated(desk: Desk) -> None:
    said = WIKI | {"config": {"path": "/srv", "password": "hunter2-hunter2"}}

    answer = await desk.ask("POST", "/endpoints", json=said)

    assert answer.status_code == 422
    assert "hunter2" not in answer.text


async def test_an_endpoint_is_tried_before_it_is_added_and_after(desk: Desk) -> None:
    before = await desk.ask("POST", "/trials", json=WIKI | {"preview": 3})
    await desk.ask("POST", "/endpoints", json=WIKI)
    after = await desk.ask("POST", "/endpoints/wiki/trial", json={})
    sample = await desk.ask("POST", "/endpoints/wiki/preview", json={"rows": 7})

    assert (before.json()["well"], before.json()["records"]) == (True, 3)
    assert after.json()["findings"][0]["detail"] == "/srv/wiki can be read"
    assert (sample.json()["ended"], sample.json()["why"]) == ("rows", "7 were asked for")
    assert await audited(desk) == ["anna endpoints.add"]


async def test_bodies_that_are_none_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    sent = {
        "not json": ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        "too deep": ({"content": b"[" * 30_000, "headers": {"content-type": "application/json"}}, 400),
        "too large": ({"json": {"name": "x" * 100_000}}, 413),
        "another type": ({"content": b"name=wiki", "headers": {"content-type": "text/plain"}}, 415),
        "packed": ({"json": WIKI, "headers": {"content-encoding": "gzip"}}, 415),
        "nothing": ({}, 422),
        "no object": ({"json": [1]}, 422),
    }
    answered = {name: await desk.ask("POST", "/endpoints", **said) for name, (said, _) in sent.items()}

    assert {name: answer.status_code for name, answer in answered.items()} == {
        name: status for name, (_, status) in sent.items()
    }
    assert all(answer.headers["content-type"] == "application/problem+json" for answer in answered.values())
