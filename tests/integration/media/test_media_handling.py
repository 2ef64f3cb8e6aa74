"""An event about a media job: one change, one row of each message, whatever comes twice, late or broken."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
import psycopg
import pytest
from tests.integration.media.studio import (
    ENRICHED,
    FAILED,
    LIMITS,
    QUEUED,
    SCOPE,
    TOPICS,
    Studio,
    found,
    queued,
)

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Actor
from windrow.media import rows
from windrow.media.announcing import announce
from windrow.media.controlling import cancel, retry
from windrow.media.errors import DecodeMessageError, EnrichmentDelayed, EnrichmentImpossible, UnsupportedMediaTypeError
from windrow.media.handling import Outcome
from windrow.media.job import as_bytes, from_bytes
from windrow.media.stage import Stage
from windrow.postgres import Database

ADA = Actor("ada", "test")
AWAY = EnrichmentDelayed("503 Service Unavailable", code=Code.UNAVAILABLE)


@pytest.fixture
def studio(database: Database) -> Studio:
    return Studio(database)


@pytest.mark.req("EV-5", "EV-8")
async def test_an_enriched_job_is_announced_with_its_snapshot_as_it_stands_in_its_row(studio: Studio) -> None:
    job_id = await studio.submit()

    handled = await studio.handler.handle(found(job_id))

    job = await studio.job(job_id)
    assert (handled.outcome, handled.stage, handled.retryable) == (Outcome.PROCESSED, Stage.METADATA_READY, False)
    assert job.job.metadata_snapshot is not None
    assert (job.job.metadata_snapshot.title, job.job.metadata_version) == ("take 1", 1)
    assert job.job.updated_at > job.job.created_at
    [work] = await studio.messages(TOPICS.work)
    assert from_bytes(msgspec.json.encode(work.payload)) == job.job
    assert work.attributes["correlationId"] == job.job.correlation_id == "cause-1"
    assert (work.key, work.attributes["stage"]) == (job_id, "MetadataReady")
    _, changed, ready = await studio.messages(TOPICS.events)
    assert (changed.payload["event"], changed.payload["from"], changed.payload["to"]) == (
        "JobStatusChanged",
        "Queued",
        "MetadataReady",
    )
    assert ready.payload["metadataSnapshot"] == work.payload["metadataSnapshot"]
    assert ready.attributes["correlationId"] == "cause-1"


@pytest.mark.req("EV-15")
async def test_a_job_reads_back_from_its_object_and_its_message_as_it_was(studio: Studio) -> None:
    job = queued("talk-1", correlation_id="c", error={"code": "X"})

    assert from_bytes(as_bytes(job)) == job
    assert from_bytes(msgspec.json.encode(job)) == job


@pytest.mark.req("EV-8")
async def test_a_change_is_told_by_message_just_as_its_row_tells_it(studio: Studio) -> None:
    studio.oracle.always = EnrichmentImpossible("the video is private", code=Code.NOT_FOUND)
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))

    told = [
        (one.payload["number"], one.payload.get("from", ""), one.payload["to"], one.payload.get("details", {}))
        for one in await studio.messages(TOPICS.events)
    ]
    assert told == [(one.number, one.from_stage, one.to_stage, one.details) for one in await studio.changes(job_id)]


@pytest.mark.req("EV-3")
async def test_an_event_that_comes_again_is_a_mismatch_and_skipped(studio: Studio, said) -> None:
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))
    said.raw.clear()

    again = await studio.handler.handle(found(job_id, attempt=2))

    assert (again.outcome, again.reason, again.stage) == (Outcome.SKIPPED, "stage_mismatch", Stage.METADATA_READY)
    assert [line["event"].rpartition(".")[2] for line in said.lines] == ["received", "stage_mismatch", "skipped"]
    assert await studio.said() == ENRICHED
    assert studio.oracle.asked == 1


@pytest.mark.req("EV-3")
async def test_our_own_message_that_comes_back_from_the_work_topic_is_skipped(studio: Studio) -> None:
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))
    [work] = await studio.messages(TOPICS.work)
    job = from_bytes(msgspec.json.encode(work.payload))

    back = await studio.handler.handle(found(job_id, job=job))

    assert (back.outcome, back.reason) == (Outcome.SKIPPED, "not_queued")
    assert await studio.said() == ENRICHED


@pytest.mark.req("EV-3")
@pytest.mark.parametrize("brought", ["row", "object", "message"])
async def test_twenty_events_at_once_have_one_effect(studio: Studio, brought: str) -> None:
    job_id = await studio.submit(job_id="talk-1") if brought == "row" else "talk-1"
    if brought == "object":
        await studio.drop(job_id)
    one = found(job_id, job=queued(job_id) if brought == "message" else None)

    handled = await asyncio.gather(*(studio.handler.handle(one) for _ in range(20)))

    outcomes = [each.outcome for each in handled]
    assert (outcomes.count(Outcome.PROCESSED), outcomes.count(Outcome.SKIPPED)) == (1, 19)
    assert studio.oracle.asked == 1
    assert await studio.stages(job_id) == ["Queued", "MetadataReady"]
    assert await studio.said() == ENRICHED


@pytest.mark.req("EV-6", "EV-9")
@pytest.mark.parametrize(
    ("error", "tag"),
    [
        (UnsupportedMediaTypeError("nobody enriches `vinyl`"), "UnsupportedMediaTypeError"),
        (EnrichmentImpossible("the video is private", code=Code.NOT_FOUND), "MetadataEnrichmentError"),
        (Fatal("not a path of yours", code=Code.ADDRESS_REFUSED), "MetadataEnrichmentError"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_can_never_be_enriched_is_failed_and_a_dead_letter(
    studio: Studio, error: Exception, tag: str
) -> None:
    studio.oracle.always = error
    job_id = await studio.submit()

    handled = await studio.handler.handle(found(job_id))

    assert (handled.outcome, handled.retryable, handled.stage) == (Outcome.FAILED, False, Stage.FAILED)
    assert await studio.stages(job_id) == ["Queued", "Failed"]
    assert await studio.said() == FAILED
    [letter] = await studio.messages(TOPICS.dead_letters)
    assert (letter.payload["tag"], letter.payload["reason"]) == (tag, str(error))
    assert letter.payload["job"]["jobId"] == job_id
    assert (await studio.job(job_id)).job.error == letter.payload["job"]["error"]


@pytest.mark.req("EV-9", "EV-15")
async def test_a_provider_that_is_away_for_a_while_makes_jobs_wait_ever_longer_and_then_finish(studio: Studio) -> None:
    studio.oracle.script = [AWAY, AWAY, AWAY]
    job_id = await studio.submit()

    for seconds in (10, 20, 40):
        before = await studio.now()
        handled = await studio.handler.handle(found(job_id))
        assert (handled.outcome, handled.retryable) == (Outcome.ERROR, True)
        waits = (await studio.job(job_id)).not_before - timedelta(seconds=seconds)
        assert before <= waits <= await studio.now()
        assert (await studio.handler.handle(found(job_id))).reason == "waiting"
        await studio.pass_time()
    handled = await studio.handler.handle(found(job_id))

    assert handled.outcome is Outcome.PROCESSED
    assert studio.oracle.asked == 4
    assert (await studio.job(job_id)).job.error is None
    assert await studio.said() == ENRICHED


@pytest.mark.req("EV-9")
async def test_a_job_that_fails_every_time_is_given_up_after_its_attempts(studio: Studio) -> None:
    studio.oracle.always = RuntimeError("a fault of ours")
    job_id = await studio.submit()

    outcomes = []
    for _ in range(6):
        outcomes.append((await studio.handler.handle(found(job_id))).outcome)
        await studio.pass_time()

    assert outcomes == [Outcome.ERROR] * 3 + [Outcome.FAILED] + [Outcome.SKIPPED] * 2
    assert studio.oracle.asked == 4
    error = (await studio.job(job_id)).job.error
    assert error
    assert (error["code"], error["message"]) == (
        "RETRIES_EXHAUSTED",
        "given up after 4 attempts: RuntimeError: a fault of ours",
    )
    assert await studio.said() == FAILED


async def test_a_wait_that_the_provider_asks_for_is_no_failed_attempt(studio: Studio) -> None:
    midnight = await studio.now() + timedelta(hours=5)
    studio.oracle.always = EnrichmentDelayed("quotaExceeded", code=Code.RATE_LIMITED, not_before=midnight)
    job_id = await studio.submit()

    for _ in range(6):
        await studio.handler.handle(found(job_id))
        job = await studio.job(job_id)
        assert (job.stage, job.attempts, job.not_before) == (Stage.QUEUED, 0, midnight)
        await studio.pass_time()


async def test_a_provider_cannot_put_a_job_off_for_ever(studio: Studio) -> None:
    never = datetime.max.replace(tzinfo=(await studio.now()).tzinfo)
    studio.oracle.always = EnrichmentDelayed("never", not_before=never)
    job_id = await studio.submit()

    await studio.handler.handle(found(job_id))

    assert (await studio.job(job_id)).not_before <= await studio.now() + timedelta(days=1)


async def test_what_only_a_person_can_mend_makes_jobs_wait_and_calls_for_somebody_once(studio: Studio) -> None:
    studio.oracle.always = Fatal("API key not valid", code=Code.UNAUTHORIZED, hint="set the key")
    jobs = [await studio.submit() for _ in range(3)]

    handled = [await studio.handler.handle(found(job_id)) for job_id in jobs]

    assert {(one.outcome, one.retryable) for one in handled} == {(Outcome.ERROR, True)}
    assert {((await studio.job(one)).stage, (await studio.job(one)).attempts) for one in jobs} == {(Stage.QUEUED, 0)}
    [notice] = await studio.messages("notify.security")
    assert notice.payload["hint"] == "set the key"


async def test_an_object_of_somebody_else_becomes_a_job(studio: Studio) -> None:
    await studio.drop("talk-1")

    handled = await studio.handler.handle(found("talk-1", generation=7))

    assert handled.outcome is Outcome.PROCESSED
    assert await studio.stages("talk-1") == ["Queued", "MetadataReady"]


async def test_an_event_about_an_object_that_is_gone_is_skipped(studio: Studio) -> None:
    handled = await studio.handler.handle(found("talk-1"))

    assert (handled.outcome, handled.reason) == (Outcome.SKIPPED, "gone")


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b'{"jobId":"talk-1"}',
        as_bytes(queued("another")),
        as_bytes(queued("talk-1", status=Stage.PROCESSING)),
        as_bytes(queued("talk-1", request_id="nul\0")),
        as_bytes(queued("talk-1")).replace(b"https://youtu.be", b"javascript:"),
        b"[" * 100_000,
        b" " * (LIMITS.job_bytes + 1),
    ],
    ids=["empty", "html", "half", "another's", "another stage", "nul", "scheme", "deep", "large"],
)
async def test_an_object_that_is_no_job_is_one_dead_letter_and_never_a_row(studio: Studio, data: bytes) -> None:
    await studio.drop("talk-1", data)

    # by its event, again, and by the sweep that finds it lying there
    handled = [await studio.handler.handle(found("talk-1", message_id=one)) for one in ("event-1", "event-1", None)]

    assert {(one.outcome, one.retryable, one.job_id) for one in handled} == {(Outcome.FAILED, False, "talk-1")}
    [letter] = await studio.messages(TOPICS.dead_letters)
    assert letter.payload["tag"] == "DecodeMessageError"
    assert len(letter.payload["excerpt"]) <= 1024
    assert studio.oracle.asked == 0


@pytest.mark.req("EV-9")
async def test_what_cannot_be_decoded_is_one_dead_letter_for_each_message(studio: Studio) -> None:
    for message_id in ("m-1", "m-1", "m-2"):
        handled = await studio.handler.undecodable(
            SCOPE, DecodeMessageError("no JSON"), f"<html>\0 {'x' * 5000}", message_id=message_id
        )
        assert (handled.outcome, handled.retryable) == (Outcome.FAILED, False)

    letters = [one.payload for one in await studio.messages(TOPICS.dead_letters)]
    assert [(one["messageId"], one["reason"], len(one["excerpt"].encode())) for one in letters] == [
        ("m-1", "no JSON", 1024),
        ("m-2", "no JSON", 1024),
    ]


@pytest.mark.req("EV-9")
async def test_when_the_database_is_away_whoever_sent_the_event_is_told_to_send_it_again(studio: Studio, said) -> None:
    job_id = await studio.submit()
    nowhere = Database("postgresql://nobody@127.0.0.1:1/none", wait=0.2)
    async with nowhere:
        handled = await studio.another_handler(nowhere).handle(found(job_id))

    assert (handled.outcome, handled.retryable) == (Outcome.ERROR, True)
    assert [line["tag"] for line in said.events("metadata.worker.failure")] == ["PersistenceError"]


@pytest.mark.req("EV-8", "EV-9")
async def test_a_change_whose_messages_cannot_be_written_is_not_made(own_database_url: str, said) -> None:
    async with Database(own_database_url) as database:
        studio = Studio(database)
        job_id = await studio.submit()
        with psycopg.connect(own_database_url, autocommit=True) as owner:
            owner.execute("ALTER TABLE windrow.topic_log RENAME TO topic_log_away")
            handled = await studio.handler.handle(found(job_id))
            owner.execute("ALTER TABLE windrow.topic_log_away RENAME TO topic_log")
        assert (handled.outcome, handled.retryable) == (Outcome.ERROR, True)
        assert [line["tag"] for line in said.events("metadata.worker.failure")] == ["PublishError"]
        assert (await studio.job(job_id)).stage is Stage.QUEUED
        await studio.pass_time()

        handled = await studio.handler.handle(found(job_id))

        assert handled.outcome is Outcome.PROCESSED
        assert await studio.said() == ENRICHED


async def test_a_provider_that_does_not_answer_is_not_waited_for_for_ever(database: Database, said) -> None:
    studio = Studio(database, replace(LIMITS, enrichment=timedelta(seconds=0.05)))
    studio.oracle.before = asyncio.Event().wait
    job_id = await studio.submit()

    handled = await studio.handler.handle(found(job_id))

    assert (handled.outcome, handled.retryable) == (Outcome.ERROR, True)
    assert [line["code"] for line in said.events("metadata.worker.failure")] == ["TIMEOUT"]


async def test_a_worker_that_is_stopped_lets_go_of_its_job(studio: Studio) -> None:
    job_id, asked = await studio.submit(), asyncio.Event()

    async def hang() -> None:
        asked.set()
        await asyncio.Event().wait()

    studio.oracle.before = hang
    handling = asyncio.create_task(studio.handler.handle(found(job_id)))
    await asked.wait()
    assert (await studio.handler.handle(found(job_id))).reason == "in_hand"
    handling.cancel()
    await asyncio.wait([handling])
    studio.oracle.before = None

    assert handling.cancelled()
    assert (await studio.handler.handle(found(job_id))).outcome is Outcome.PROCESSED


async def test_what_is_cancelled_while_it_is_enriched_stays_cancelled(studio: Studio, said) -> None:
    job_id = await studio.submit()

    async def somebody_cancels() -> None:
        async with studio.database.tenant(SCOPE.tenant_id) as tx:
            await cancel(tx, job_id, topics=TOPICS, actor=ADA)

    studio.oracle.before = somebody_cancels
    handled = await studio.handler.handle(found(job_id))

    assert (handled.outcome, handled.reason, handled.stage) == (Outcome.SKIPPED, "stage_mismatch", Stage.CANCELLED)
    assert await studio.said() == {"media.events/JobStatusChanged": 2}


async def test_what_was_found_out_before_a_job_was_begun_anew_is_not_taken_for_it(studio: Studio) -> None:
    job_id = await studio.submit()

    async def somebody_begins_it_anew() -> None:
        async with studio.database.tenant(SCOPE.tenant_id) as tx:
            await cancel(tx, job_id, topics=TOPICS, actor=ADA)
            await retry(tx, job_id, topics=TOPICS, actor=ADA)

    studio.oracle.before = somebody_begins_it_anew
    handled = await studio.handler.handle(found(job_id))
    assert (handled.outcome, handled.stage) == (Outcome.SKIPPED, Stage.QUEUED)
    studio.oracle.before = None

    assert (await studio.handler.handle(found(job_id))).outcome is Outcome.PROCESSED
    assert await studio.stages(job_id) == ["Queued", "Cancelled", "Queued", "MetadataReady"]


@pytest.mark.req("EV-8")
async def test_what_is_announced_again_is_no_other_message(studio: Studio) -> None:
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))

    async with studio.database.tenant(SCOPE.tenant_id) as tx:
        await announce(tx, TOPICS, await rows.get(tx, job_id), Stage.QUEUED)

    assert await studio.said() == ENRICHED


@pytest.mark.parametrize("error", [EnrichmentImpossible("gone"), AWAY], ids=["impossible", "away"])
async def test_who_slept_through_the_claim_says_nothing_about_a_job_that_another_has(
    studio: Studio, error: Exception
) -> None:
    job_id = await studio.submit()

    async def another_takes_it_over() -> None:
        studio.oracle.before = another_sleeps
        await studio.pass_time()
        handling.append(asyncio.create_task(studio.handler.handle(found(job_id))))
        await taken.wait()

    async def another_sleeps() -> None:
        taken.set()
        await woken.wait()

    taken, woken, handling = asyncio.Event(), asyncio.Event(), list[asyncio.Task]()
    studio.oracle.before, studio.oracle.script = another_takes_it_over, [error]
    late = await studio.handler.handle(found(job_id))
    assert (late.outcome, late.reason) == (Outcome.SKIPPED, "in_hand")
    assert await studio.said() == QUEUED
    assert (await studio.job(job_id)).attempts == 0
    woken.set()

    assert (await handling[0]).outcome is Outcome.PROCESSED
    assert await studio.said() == ENRICHED


async def test_an_event_about_an_object_of_a_job_that_has_moved_on_has_its_objects_looked_at(studio: Studio) -> None:
    job_id = await studio.submit()
    await studio.handler.handle(found(job_id))
    async with studio.database.tenant(SCOPE.tenant_id) as tx:
        await tx.connection.execute("UPDATE media_jobs SET mirrored = moves")

    await studio.handler.handle(found(job_id))

    job = await studio.job(job_id)
    assert job.mirrored < job.moves
