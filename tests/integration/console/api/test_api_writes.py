"""Writes: done once under a key, no more often than the pace allows, and each with what it did."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import stocked
from tests.integration.console.house import counted, house

from windrow.console.ports import Ports
from windrow.harvest.quarantine import Quarantined
from windrow.harvest.retrying import Attempt, Verdict
from windrow.postgres import Database
from windrow.web.pace import PaceLimits

CLIP: dict[str, Any] = {"kind": "clip", "payload": {"source": "object:film.mp4", "start": "1", "end": "2"}}


class Retries:
    """Remembers what it was asked to try again."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(
        self, _scope: object, _endpoint: str, entries: Sequence[Quarantined], *_: object
    ) -> list[Attempt]:
        self.asked += [entry.id for entry in entries]
        return [Attempt(entry, Verdict.PUBLISHED) for entry in entries]


@pytest.fixture
def retries() -> Retries:
    return Retries()


@pytest.fixture
def ports(ports: Ports, retries: Retries) -> Ports:
    return replace(ports, retry=retries)


async def test_the_same_write_under_one_key_is_done_once_and_answered_alike(desk: Desk) -> None:
    key = {"idempotency-key": "order-1"}

    first = await desk.ask("POST", "/jobs", json=CLIP, headers=key)
    again = await desk.ask("POST", "/jobs", json=CLIP, headers=key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.json(), again.headers["location"]) == (first.json(), first.headers["location"])
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert len((await desk.get("/jobs"))["items"]) == 1


async def test_a_key_is_not_good_for_another_write_or_another_caller(desk: Desk) -> None:
    key = {"idempotency-key": "order-1"}
    await desk.ask("POST", "/jobs", json=CLIP, headers=key)

    answers = [
        await desk.ask("POST", "/jobs", json=CLIP | {"priority": 5}, headers=key),
        await desk.ask("POST", "/jobs", "token-of-a-writer", json=CLIP, headers=key),
        await desk.ask("POST", "/jobs", "token-of-elsewhere", json=CLIP, headers=key),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "REQUEST_REUSED")] * 3
    assert (await desk.ask("POST", "/jobs", "token-of-other", json=CLIP, headers=key)).status_code == 201


async def test_a_write_that_failed_has_used_no_key(desk: Desk) -> None:
    key = {"idempotency-key": "order-1"}
    wish = {"name": "wiki", "connector": "files", "config": {"path": "/srv"}}

    refused = await desk.ask("PATCH", "/endpoints/wiki", json={"schedule": None}, headers=key | {"if-match": "*"})
    added = await desk.ask("POST", "/endpoints", json=wish, headers=key)

    assert (refused.status_code, added.status_code) == (404, 201)


async def test_what_is_decided_about_a_schedule_is_decided_once_under_its_key_though_temporal_is_away(
    desk: Desk,
) -> None:
    await stocked(desk.database)
    key = {"idempotency-key": "pause-1"}

    answers = [
        await desk.ask("POST", "/endpoints/shop/schedule/pause", json={"reason": "moving"}, headers=key)
        for _ in range(2)
    ]
    lines = [each for each in (await desk.get("/audit"))["items"] if each["action"] == "schedule.pause"]

    assert [answer.status_code for answer in answers] == [503, 503]
    assert len(lines) == 1
    assert "moving" in (await desk.get("/endpoints/shop/schedule"))["held_back"]


async def test_a_retry_of_a_quarantined_record_under_one_key_is_tried_once(desk: Desk, retries: Retries) -> None:
    stock = await stocked(desk.database)
    path, key = f"/quarantine/shop/{stock.entry_id}/retry", {"idempotency-key": "retry-1"}

    answers = [await desk.ask("POST", path, json={"reason": "mended"}, headers=key) for _ in range(2)]

    assert [answer.json() for answer in answers] == [{"outcome": "published", "reasons": []}] * 2
    assert retries.asked == [stock.entry_id]


async def test_a_dismissed_record_leaves_the_open_ones_and_cannot_be_dismissed_twice(desk: Desk) -> None:
    stock = await stocked(desk.database)
    path = f"/quarantine/shop/{stock.entry_id}"

    done = await desk.ask("POST", f"{path}/dismiss", json={"reason": "never mind"})
    again = await desk.ask("POST", f"{path}/dismiss", json={"reason": "never mind"})

    assert (done.status_code, again.status_code) == (200, 409)
    assert (await desk.get(path))["state"] == "dropped"
    assert stock.entry_id not in [each["id"] for each in (await desk.get("/quarantine"))["items"]]


async def test_a_job_is_submitted_cancelled_and_tried_again(desk: Desk) -> None:
    job = (await desk.ask("POST", "/jobs", json=CLIP)).json()["job_id"]

    cancelled = await desk.ask("POST", f"/jobs/{job}/cancel", json={"reason": "too long"})
    retried = await desk.ask("POST", f"/jobs/{job}/retry", json={})
    late = await desk.ask("POST", f"/jobs/{job}/retry", json={})
    events = (await desk.get(f"/jobs/{job}/events"))["items"]
    rest = await desk.get(f"/jobs/{job}/events", after=events[0]["id"])

    assert [cancelled.json()["status"], retried.json()["status"], late.status_code] == ["cancelled", "queued", 409]
    assert [each["event"] for each in events] == ["created", "cancelled", "requeued:retry"]
    assert rest["items"] == events[1:]


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "unheard-of"}, {"payload": {}}, {"run_at": "0001-01-01T00:00:00Z"}, {"run_at": "2026-01-01T00:00:00"}],
)
async def test_a_job_that_nobody_could_do_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    answer = await desk.ask("POST", "/jobs", json=CLIP | wrong)

    assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_VALUE")


async def test_dead_letters_are_put_back_and_given_up(desk: Desk) -> None:
    stock = await stocked(desk.database)
    first, *_, last = [each["message_id"] for each in (await desk.get("/dead-letters"))["items"]]

    opened = await desk.get(f"/dead-letters/{stock.message_id}")
    back = await desk.ask("POST", "/dead-letters/replay", json={"message_ids": [first], "reason": "it is mended"})
    gone = await desk.ask("POST", "/dead-letters/discard", json={"message_ids": [last], "reason": "never mind"})

    assert opened["items"][0]["code"] == "REFUSED"
    assert (back.json(), gone.json()) == ({"message_ids": [first]}, {"message_ids": [last]})
    assert len((await desk.get("/dead-letters"))["items"]) == 1


async def test_content_is_brought_and_fetched_by_signed_urls(desk: Desk) -> None:
    said = {"item": str(desk.house.item), "media_type": "text/plain", "name": "a.txt"}
    granted = (await desk.ask("POST", "/blobs", json=said)).json()
    path = f"/blobs/{granted['blob']['blob_id']}"

    await desk.house.put(granted["signed"]["url"], b"content", **granted["signed"]["headers"])
    linked = await desk.ask("POST", f"{path}/complete")
    fetched = (await desk.ask("POST", f"{path}/download", "token-of-a-reader")).json()["signed"]

    assert linked.json()["state"] == "linked"
    assert (await desk.house.client.get(fetched["url"])).content == b"content"
    assert (await desk.get(f"/items/{desk.house.item}/blobs"))["items"] == [await desk.get(path)]


async def test_who_calls_too_often_is_told_how_long_to_wait_and_nobody_else_is(
    database: Database, tmp_path: Path
) -> None:
    before = counted("api_calls_held_back_total")
    async with house(database, tmp_path, pace=PaceLimits(per_second=0.01, burst=2)) as opened:
        answers = [await opened.call("GET", "/api/v1/topics") for _ in range(3)]
        other = await opened.call("GET", "/api/v1/topics", "token-of-other")
        stranger = await opened.call("GET", "/api/v1/topics", "made up")
        refused = await opened.call("GET", "/api/v1/audit", "token-of-a-reader")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert refused.status_code == 429, "before it is written down: the audit trail is no place to fill"
    assert 1 <= int(answers[2].headers["retry-after"]) <= 100
    assert (answers[2].json()["code"], answers[2].json()["title"]) == ("RATE_LIMITED", "RetryableTransient")
    assert (other.status_code, stranger.status_code) == (200, 401)
    assert counted("api_calls_held_back_total") - before == 2
