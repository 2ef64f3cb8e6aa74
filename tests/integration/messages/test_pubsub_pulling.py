"""Pulling from a subscription of Google Pub/Sub: deadlines extended while a handler works, order, failures, leaving."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from grpc import StatusCode
from tests.conftest import Said, Spans
from tests.fakes.pubsub import FakePubSub
from tests.integration.messages.post import counted

from windrow.contracts.errors import Fatal, RateLimited, RetryableTransient, ValidationFailure
from windrow.messages.pubsub import Endpoint, PubSub, PulledMessage, Puller, PullLimits

TOPIC = "projects/acme/topics/work"
SUBSCRIPTION = "projects/acme/subscriptions/work"


@pytest.fixture
async def server() -> AsyncIterator[FakePubSub]:
    async with FakePubSub() as fake:
        fake.subscribe(SUBSCRIPTION, TOPIC, is_ordered=True)
        yield fake


@pytest.fixture
async def pubsub(server: FakePubSub) -> AsyncIterator[PubSub]:
    async with PubSub(Endpoint.parse(server.address)) as opened:
        yield opened


class Desk:
    """A handler that remembers, and fails when told to."""

    def __init__(self, *outcomes: bool | Exception) -> None:
        self.outcomes = list(outcomes)
        self.seen: list[PulledMessage] = []

    async def __call__(self, message: PulledMessage) -> bool:
        self.seen.append(message)
        outcome = self.outcomes.pop(0) if self.outcomes else True
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    @property
    def datas(self) -> list[bytes]:
        return [message.data for message in self.seen]


class Slow:
    """A handler that tells when it began, and ends when told to."""

    def __init__(self) -> None:
        self.began: asyncio.Queue[PulledMessage] = asyncio.Queue()
        self.may_end = asyncio.Event()

    async def __call__(self, message: PulledMessage) -> bool:
        self.began.put_nowait(message)
        return await self.may_end.wait()


def deadlines(server: FakePubSub) -> list[int]:
    """What was asked of the deadlines, call by call."""
    return [request.ack_deadline_seconds for method, request in server.calls if method == "ModifyAckDeadline"]


async def test_a_message_is_handled_and_acknowledged(server: FakePubSub, pubsub: PubSub, spans: Spans) -> None:
    await server.put(TOPIC, b"m", key="k")
    desk = Desk()

    assert await Puller(pubsub, SUBSCRIPTION, desk).run_once() == 1

    (message,) = desk.seen
    assert (message.data, message.ordering_key, message.message_id, message.attempt) == (b"m", "k", "1", None)
    assert server.backlog(SUBSCRIPTION).copies == []
    (span,) = spans.named("message.handle")
    assert span.attributes
    assert span.attributes["outcome"] == "handled"


@pytest.mark.req("EV-14")
async def test_the_ack_deadline_is_extended_for_as_long_as_the_handler_works(
    server: FakePubSub, pubsub: PubSub
) -> None:
    server.subscribe(SUBSCRIPTION, TOPIC, ack_deadline=3.0)
    await server.put(TOPIC, b"m")
    slow = Slow()
    working = asyncio.create_task(
        Puller(pubsub, SUBSCRIPTION, slow, limits=PullLimits(hold=timedelta(seconds=3))).run_once()
    )
    await slow.began.get()

    # nobody else is given the message, until a deadline and a hold have passed
    ends = server.now() + 3.2
    while server.now() < ends:
        assert await pubsub.pull(SUBSCRIPTION, limit=1, wait=5) == []
    slow.may_end.set()
    await working

    assert server.backlog(SUBSCRIPTION).copies == []
    assert set(deadlines(server)) == {3}
    assert len(deadlines(server)) >= 3


async def test_a_retryable_failure_gives_the_message_back_at_once(
    server: FakePubSub, pubsub: PubSub, said: Said
) -> None:
    await server.put(TOPIC, b"m")
    desk = Desk(RetryableTransient("the database is away"), False, Fatal("no key"), True)
    puller = Puller(pubsub, SUBSCRIPTION, desk, jitter=lambda: 0.0)
    before = counted("messages_pulled_total", outcome="given_back")

    for _ in range(4):
        assert await puller.run_once() == 1

    assert [message.message_id for message in desk.seen] == ["1"] * 4
    assert deadlines(server).count(0) == 3
    assert server.backlog(SUBSCRIPTION).copies == []
    assert [line["code"] for line in said.events("pulled.given_back")] == [
        "UNAVAILABLE",
        "UNAVAILABLE",
        "CONFIGURATION",
    ]
    assert counted("messages_pulled_total", outcome="given_back") == before + 3


async def test_a_source_that_asks_for_patience_is_given_it(server: FakePubSub, pubsub: PubSub) -> None:
    await server.put(TOPIC, b"m")
    desk = Desk(RateLimited("slow down", retry_after=37), True)
    puller = Puller(pubsub, SUBSCRIPTION, desk, jitter=lambda: 0.0)
    await puller.run_once()
    assert deadlines(server)[-1] == 37
    assert await puller.run_once() == 0

    await server.pass_time(37)

    assert await puller.run_once() == 1


async def test_what_can_never_be_handled_does_not_come_again(server: FakePubSub, pubsub: PubSub, said: Said) -> None:
    await server.put(TOPIC, b"junk")

    await Puller(pubsub, SUBSCRIPTION, Desk(ValidationFailure("not JSON"))).run_once()

    assert server.backlog(SUBSCRIPTION).copies == []
    (line,) = said.events("pulled.dropped")
    assert (line["level"], line["reason"]) == ("ERROR", "not JSON")


async def test_what_can_never_be_handled_goes_to_the_dead_letter_topic_where_there_is_one(
    server: FakePubSub, pubsub: PubSub, said: Said
) -> None:
    server.subscribe(SUBSCRIPTION, TOPIC, dead_letter_after=2)
    await server.put(TOPIC, b"junk")
    desk = Desk(ValidationFailure("not JSON"), ValidationFailure("not JSON"))
    puller = Puller(pubsub, SUBSCRIPTION, desk, jitter=lambda: 0.0)

    while await puller.run_once():
        pass

    assert [message.attempt for message in desk.seen] == [1, 2]
    assert [message.data for message in server.backlog(SUBSCRIPTION).dead] == [b"junk"]
    assert said.events("pulled.dropped") == []


async def test_a_key_is_handled_in_its_order_also_after_a_failure(server: FakePubSub, pubsub: PubSub) -> None:
    await server.put(TOPIC, b"a1", b"a2", b"a3", key="a")
    await server.put(TOPIC, b"b1", key="b")
    desk = Desk()
    fails = {b"a2"}

    async def handle(message: PulledMessage) -> bool:
        await desk(message)
        return message.data not in fails or bool(fails.discard(message.data))

    puller = Puller(pubsub, SUBSCRIPTION, handle, jitter=lambda: 0.0)
    while await puller.run_once():
        pass

    assert [data for data in desk.datas if data.startswith(b"a")] == [b"a1", b"a2", b"a2", b"a3"]
    assert desk.datas.count(b"b1") == 1
    given_back = [request.ack_ids for method, request in server.calls if _is_giving_back(method, request)]
    assert [len(ack_ids) for ack_ids in given_back] == [2], "what follows in its key goes with it"


async def test_what_a_dead_process_had_in_hand_comes_again_when_its_deadline_has_passed(
    server: FakePubSub, pubsub: PubSub
) -> None:
    await server.put(TOPIC, b"m")
    assert len(await pubsub.pull(SUBSCRIPTION, limit=1, wait=5)) == 1
    desk = Desk()
    puller = Puller(pubsub, SUBSCRIPTION, desk)
    assert await puller.run_once() == 0

    await server.pass_time(10)
    await puller.run_once()

    assert desk.datas == [b"m"]


async def test_a_running_puller_has_no_more_in_hand_than_its_limit_and_goes_on_when_there_is_room(
    server: FakePubSub, pubsub: PubSub
) -> None:
    await server.put(TOPIC, b"1", b"2", b"3")
    slow = Slow()
    task = asyncio.create_task(Puller(pubsub, SUBSCRIPTION, slow, limits=PullLimits(concurrency=2)).run())
    async with asyncio.timeout(60):
        assert {(await slow.began.get()).data for _ in range(2)} == {b"1", b"2"}
        assert [copy.message.data for copy in server.backlog(SUBSCRIPTION).copies if not copy.ack_id] == [b"3"]
        slow.may_end.set()
        assert (await slow.began.get()).data == b"3"
        await server.until(lambda: not server.backlog(SUBSCRIPTION).copies)
        await ended(task)


async def test_a_puller_that_is_stopped_lets_its_handlers_finish(server: FakePubSub, pubsub: PubSub) -> None:
    await server.put(TOPIC, b"m")
    slow = Slow()
    task = asyncio.create_task(Puller(pubsub, SUBSCRIPTION, slow).run())
    async with asyncio.timeout(60):
        await slow.began.get()
        task.cancel()
        slow.may_end.set()
        await ended(task)

    assert server.backlog(SUBSCRIPTION).copies == []


async def test_what_does_not_finish_in_the_grace_is_given_back(server: FakePubSub, pubsub: PubSub) -> None:
    await server.put(TOPIC, b"1", b"2", key="k")
    slow = Slow()
    limits = PullLimits(grace=timedelta(seconds=0.05))
    task = asyncio.create_task(Puller(pubsub, SUBSCRIPTION, slow, limits=limits).run())
    async with asyncio.timeout(60):
        await slow.began.get()
        await ended(task)

    heir = Desk()
    await Puller(pubsub, SUBSCRIPTION, heir).run_once()
    assert heir.datas == [b"1", b"2"]


async def test_a_subscription_that_is_away_is_asked_again(server: FakePubSub, pubsub: PubSub, said: Said) -> None:
    server.fails("Pull", StatusCode.UNAVAILABLE, StatusCode.PERMISSION_DENIED)
    await server.put(TOPIC, b"m")
    slow = Slow()
    slow.may_end.set()
    task = asyncio.create_task(Puller(pubsub, SUBSCRIPTION, slow, jitter=lambda: 0.0).run())
    async with asyncio.timeout(60):
        await slow.began.get()
        await ended(task)

    assert [line["code"] for line in said.events("relay.stalled")] == ["UNAVAILABLE", "FORBIDDEN"]


async def test_an_answer_that_cannot_be_given_is_told_and_the_message_comes_again(
    server: FakePubSub, pubsub: PubSub, said: Said
) -> None:
    await server.put(TOPIC, b"m")
    server.fails("Acknowledge", StatusCode.UNAVAILABLE)
    desk = Desk()
    puller = Puller(pubsub, SUBSCRIPTION, desk)
    await puller.run_once()
    await server.pass_time(60)

    await puller.run_once()

    assert desk.datas == [b"m", b"m"]
    (line,) = said.events("pulled.unsettled")
    assert (line["step"], line["message_id"], line["code"]) == ("acknowledge", "1", "UNAVAILABLE")


def test_a_hold_of_no_time_would_give_back_and_is_refused() -> None:
    with pytest.raises(ValidationFailure):
        PullLimits(hold=timedelta(seconds=0.5))


def _is_giving_back(method: str, request: Any) -> bool:
    return method == "ModifyAckDeadline" and request.ack_deadline_seconds == 0


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
