"""Events over HTTP: what is done, what is answered, and once however often it is told."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from tests.conftest import Said
from tests.fakes.youtube import FakeYoutube, a_video, backend_error
from tests.integration.console.house import counted
from tests.integration.events.counter import BATCHED, JSON, OWN, Desk, a_job, desk, event, pushed

from windrow.app.events import served
from windrow.app.media import limits_of, topics_of
from windrow.events.opening import Opener, Owners
from windrow.media.enriching import Question
from windrow.media.handling import Handler
from windrow.media.snapshot import Snapshot
from windrow.media.stage import Stage
from windrow.postgres import Database

ENRICHED = {"media.events/JobStatusChanged": 2, "media.events/MetadataReady": 1, "media.work/Work": 1}
# as often as a request to YouTube is tried at once
HICCUPS = 3


@pytest.mark.req("EV-1", "EV-10")
async def test_an_event_moves_its_job_on_and_is_answered_in_json(at_desk: Desk, said: Said) -> None:
    job_id = await at_desk.submit()

    answered = await at_desk.post(event(job_id))

    assert answered.status_code == 200
    assert answered.json() == {
        "status": "ack",
        "outcome": "processed",
        "retryable": False,
        "jobId": job_id,
        "stage": "MetadataReady",
    }
    assert (await at_desk.job(job_id)).stage is Stage.METADATA_READY
    assert await at_desk.said() == ENRICHED
    assert [line["agent"] for line in said.events("request.answered")] == ["metadata-worker"]


@pytest.mark.req("EV-1")
async def test_binary_events_and_notifications_are_the_same_as_structured_ones(at_desk: Desk) -> None:
    binary, notified = await at_desk.submit(), await at_desk.submit()
    said = event(binary)
    body, headers = said.pop("data"), {f"ce-{name}": value for name, value in said.items()}
    name = f"{OWN.tenant_id}/jobs/Queued/{notified}.json"
    notice = {"eventType": "OBJECT_FINALIZE", "bucketId": "windrow", "objectId": name, "payloadFormat": "NONE"}

    answered = [await at_desk.post(body, headers | JSON), await at_desk.push(pushed(**notice))]

    assert [(one.status_code, one.json()["outcome"]) for one in answered] == [(200, "processed")] * 2
    assert [await at_desk.stages(one) for one in (binary, notified)] == [["Queued", "MetadataReady"]] * 2


@pytest.mark.req("EV-1")
async def test_each_event_of_a_batch_is_dealt_with_by_itself(at_desk: Desk) -> None:
    jobs = [await at_desk.submit() for _ in range(3)]
    batch = [event(jobs[0]), {"specversion": "1.0"}, event("nobody-knows-it"), event(jobs[1]), event(jobs[2])]

    answered = await at_desk.post(batch, BATCHED)

    assert answered.status_code == 200
    told = answered.json()
    assert (told["status"], told["outcome"], told["retryable"]) == ("ack", "failed", False)
    assert [(one["outcome"], one["jobId"]) for one in told["results"]] == [
        ("processed", jobs[0]),
        ("failed", None),
        ("skipped", "nobody-knows-it"),
        ("processed", jobs[1]),
        ("processed", jobs[2]),
    ]
    assert len((await at_desk.post([], BATCHED)).json()["results"]) == 0


@pytest.mark.req("EV-3")
async def test_twenty_identical_events_at_once_have_one_effect(at_desk: Desk) -> None:
    job_id = await at_desk.submit()

    answers = await asyncio.gather(*(at_desk.announce(job_id) for _ in range(20)))

    assert Counter(answer["outcome"] for answer in answers) == {"processed": 1, "skipped": 19}
    assert await at_desk.stages(job_id) == ["Queued", "MetadataReady"]
    assert await at_desk.said() == ENRICHED
    assert len(at_desk.youtube.lists()) == 1
    await at_desk.mirrored()
    assert await at_desk.folders(job_id) == ["jobs/Processing"]


@pytest.mark.req("EV-3")
async def test_the_workers_own_message_that_comes_back_is_skipped(at_desk: Desk) -> None:
    job_id = await at_desk.submit()
    await at_desk.announce(job_id)
    async with at_desk.database.tenant(OWN.tenant_id) as tx:
        cursor = await tx.connection.execute("SELECT payload::text AS job FROM messages WHERE topic = 'media.work'")
        own = await cursor.fetchone()
    assert own

    answered = await at_desk.push(pushed(own["job"].encode()))

    assert (answered.status_code, answered.json()["outcome"]) == (200, "skipped")
    assert await at_desk.said() == ENRICHED


@pytest.mark.req("EV-15", "EV-9", "EV-11")
async def test_a_push_is_nacked_while_youtube_is_away_and_its_redelivery_finishes_the_job(at_desk: Desk) -> None:
    at_desk.youtube.shows(a_video())
    at_desk.youtube.refuses(*[backend_error()] * HICCUPS)
    redeliveries = counted("metadata_worker_redeliveries_total")

    first = await at_desk.push(pushed(a_job()))
    await at_desk.pass_time()
    second = await at_desk.push(pushed(a_job(), attempt=2))
    third = await at_desk.push(pushed(a_job(), attempt=3))

    assert (first.status_code, first.json()) == (
        500,
        {
            "status": "nack",
            "outcome": "error",
            "retryable": True,
            "jobId": "job-1",
            "error": "MetadataEnrichmentError",
        },
    )
    assert [(one.status_code, one.json()["outcome"]) for one in (second, third)] == [
        (200, "processed"),
        (200, "skipped"),
    ]
    assert await at_desk.stages("job-1") == ["Queued", "MetadataReady"]
    assert await at_desk.said() == ENRICHED
    assert counted("metadata_worker_redeliveries_total") == redeliveries + 2


async def test_eventarc_is_told_200_while_youtube_is_away_and_the_sweep_finishes_the_job(at_desk: Desk) -> None:
    job_id = await at_desk.submit()
    at_desk.youtube.refuses(*[backend_error()] * HICCUPS)

    answer = await at_desk.announce(job_id)
    await at_desk.pass_time()
    await at_desk.work.sweeper.step()

    assert (answer["status"], answer["outcome"], answer["retryable"]) == ("ack", "error", True)
    assert await at_desk.stages(job_id) == ["Queued", "MetadataReady"]


async def test_while_youtube_is_away_jobs_wait_and_then_all_of_them_finish(at_desk: Desk) -> None:
    jobs = [await at_desk.submit() for _ in range(12)]
    at_desk.youtube.refuses(*[backend_error()] * 100)
    answers = await asyncio.gather(*map(at_desk.announce, jobs))
    for _ in range(2):
        await at_desk.pass_time()
        await at_desk.work.sweeper.step()
    away = {stage for job_id in jobs for stage in await at_desk.stages(job_id)}

    at_desk.youtube.refuses()
    await at_desk.pass_time()
    await at_desk.work.sweeper.step()

    assert {answer["retryable"] for answer in answers} == {True}
    assert away == {"Queued"}
    assert [await at_desk.stages(job_id) for job_id in jobs] == [["Queued", "MetadataReady"]] * 12
    assert await at_desk.said() == {kind: 12 * count for kind, count in ENRICHED.items()}


@pytest.mark.req("EV-6")
async def test_media_that_nobody_enriches_end_in_the_dead_letters_and_are_acked(at_desk: Desk) -> None:
    answered = await at_desk.push(pushed(a_job(media={"type": "betamax", "url": "https://example.org/tape"})))

    assert answered.status_code == 200
    told = answered.json()
    assert (told["status"], told["outcome"], told["stage"]) == ("ack", "failed", "Failed")
    assert told["error"].startswith("UnsupportedMediaTypeError: ")
    assert (await at_desk.said())["media.dlq/DeadJob"] == 1
    await at_desk.mirrored()
    assert await at_desk.folders("job-1") == ["jobs/Failed"]


class Broken:
    """A provider with a fault that nobody has foreseen."""

    async def snapshot(self, _: Question) -> Snapshot:
        raise ZeroDivisionError("secret words of ours")


@pytest.mark.req("EV-9")
async def test_what_is_no_domain_error_is_500_to_pubsub_and_200_to_eventarc(at_desk: Desk, said: Said) -> None:
    settings = at_desk.settings
    broken = Handler(
        at_desk.database,
        Broken(),
        at_desk.work.places.store,
        topics=topics_of(settings),
        limits=limits_of(settings),
    )
    opener = Opener(broken, Owners(at_desk.work.places, OWN))
    async with (
        served(settings, at_desk.database, replace(at_desk.work, opener=opener)) as front,
        httpx2.AsyncClient(base_url=front.url, trust_env=False, timeout=60) as client,
    ):
        other = replace(at_desk, client=client)
        pubsub = await other.push(pushed(a_job("first")))
        eventarc = await other.post(event(await at_desk.submit()))

    assert [one.status_code for one in (pubsub, eventarc)] == [500, 200]
    assert [one.json()["outcome"] for one in (pubsub, eventarc)] == ["error", "error"]
    assert "secret words" not in pubsub.text + eventarc.text
    assert all("ZeroDivisionError" in line["error"] for line in said.events("metadata.worker.failure"))
    assert len(said.events("metadata.worker.failure")) == 2


async def test_a_job_that_comes_by_message_is_of_the_tenant_of_its_subscription(
    database: Database, tmp_path: Path, youtube: FakeYoutube
) -> None:
    words = ("subscription:theirs=globex/av", "s3://talks/below=acme")
    async with desk(database, tmp_path, youtube, media_places=words) as counter:
        youtube.shows(a_video())

        theirs = await counter.push(pushed(a_job("a"), subscription="theirs"))
        ours = await counter.push(pushed(a_job("b"), subscription="another"))
        unknown = await counter.post(event("c", source="//storage.googleapis.com/projects/_/buckets/other", data=...))

    assert [one.json()["outcome"] for one in (theirs, ours, unknown)] == ["processed", "processed", "skipped"]
    job = await counter.job("a", "globex")
    assert (job.tenant_id, job.project_id) == ("globex", "av")
    assert (await counter.job("b")).tenant_id == OWN.tenant_id
    assert await counter.jobs() == 2


async def test_probes_are_answered_and_senders_get_their_consent(at_desk: Desk) -> None:
    origin = {"webhook-request-origin": "eventemitter.example.com", "webhook-request-rate": "120"}
    health, ready = [await at_desk.client.get(path) for path in ("/health", "/ready")]
    asked = await at_desk.client.options("/", headers=origin | {"webhook-request-callback": "http://127.0.0.1:9/x"})
    plain = await at_desk.client.options("/")
    wrong = await at_desk.client.options("/", headers=origin | {"webhook-request-rate": "many"})

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert ready.status_code == 200
    assert asked.status_code == 200
    assert asked.headers["webhook-allowed-origin"] == "eventemitter.example.com"
    assert asked.headers["webhook-allowed-rate"] == "*"
    assert "POST" in asked.headers["allow"]
    assert (plain.status_code, "webhook-allowed-origin" in plain.headers) == (204, False)
    assert wrong.status_code == 400


async def test_a_body_of_64_kib_is_taken_and_one_beyond_the_limit_is_refused(
    database: Database, tmp_path: Path, youtube: FakeYoutube
) -> None:
    async with desk(database, tmp_path, youtube, event_bytes=64 << 10) as counter:
        job_id = await counter.submit()
        room = (64 << 10) - len(json.dumps(event(job_id, padding="")))

        largest = await counter.post(event(job_id, padding="x" * room))
        larger = await counter.post(event(job_id, padding="x" * (room + 1)))

        assert (largest.status_code, largest.json()["outcome"]) == (200, "processed")
        assert larger.status_code == 413
        assert larger.headers["content-type"] == "application/problem+json"


async def test_a_job_is_submitted_once_for_each_idempotency_key(at_desk: Desk) -> None:
    token = {"authorization": f"Bearer {at_desk.served.token.reveal()}"}
    key = token | {"idempotency-key": "k-1"}
    wish = {"url": "https://youtu.be/oBM7DIeMsP0", "requestId": "r-9"}
    at_desk.youtube.shows(a_video())

    first, again = [await at_desk.client.post("/jobs", json=wish, headers=key) for _ in range(2)]
    other = await at_desk.client.post("/jobs", json=wish | {"requestId": "r-8"}, headers=key)
    stranger = await at_desk.client.post("/jobs", json=wish)
    where = first.headers["location"]
    await at_desk.announce(first.json()["jobId"])
    shown = (await at_desk.client.get(where, headers=token)).json()

    assert [one.status_code for one in (first, again, other, stranger)] == [201, 201, 409, 401]
    assert first.json() == again.json()
    assert await at_desk.jobs() == 1
    assert (shown["status"], shown["requestId"]) == ("MetadataReady", "r-9")
    assert [one["event"] for one in shown["timeline"]] == ["Queued", "MetadataReady"]
    assert (await at_desk.client.get("/jobs/nobody", headers=token)).status_code == 404
