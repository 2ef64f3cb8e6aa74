"""Google Pub/Sub on the wire (google.pubsub.v1 over gRPC), as much of it as Google's own client needs for what we do.

Its limits are Pub/Sub's own. `server.fails(…)` plans what the next calls answer; `server.pass_time(…)` lets leases run out.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.timestamp_pb2 import Timestamp
from google.pubsub_v1.types import (
    AcknowledgeRequest,
    ModifyAckDeadlineRequest,
    PublishRequest,
    PublishResponse,
    PubsubMessage,
    PullRequest,
    PullResponse,
)
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode, aio
from tests.fakes.certificates import Certified
from tests.fakes.pubsub_backlog import Backlog, Copy

from windrow.stack.ports import choose

_LARGEST, _MOST = 10_000_000, 100
# how long a Pull waits before it answers that there is nothing; Google's is longer
_PATIENCE = 0.1


@dataclass(frozen=True)
class Planned:
    """What one call is answered with: an error before or after it took effect, or nothing at all."""

    code: StatusCode | None
    takes_effect: bool = False
    retry_after: float | None = None


class FakePubSub:
    """`server.topic(NAME)`, `server.subscribe(NAME, TOPIC)`; `server.published(TOPIC)` is what has arrived."""

    def __init__(self, certified: Certified | None = None) -> None:
        self._certified = certified
        self._topics: dict[str, list[PubsubMessage]] = {}
        self._backlogs: dict[str, Backlog] = {}
        self._plans: dict[str, deque[Planned]] = {}
        self._numbers = itertools.count(1)
        self._passed = 0.0
        self._changed = asyncio.Condition()
        # not of those that systems take for outgoing connections: it must be free again for a second start
        self._port = choose({"pubsub": None}, {})["pubsub"]
        self.calls: list[tuple[str, Any]] = []
        self.authorizations: list[str] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Also again, at the same port."""
        self._server = aio.server(options=[("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers(tuple(self._services()))
        door = f"127.0.0.1:{self._port}"
        if self._certified:
            guard = grpc.ssl_server_credentials([(self._certified.key, self._certified.cert)])
            self._port = self._server.add_secure_port(door, guard)
        else:
            self._port = self._server.add_insecure_port(door)
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(None)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def topic(self, name: str) -> str:
        self._topics.setdefault(name, [])
        return name

    def subscribe(self, name: str, topic: str, **terms: Any) -> str:
        self._backlogs[name] = Backlog(self.topic(topic), **terms)
        return name

    def backlog(self, subscription: str) -> Backlog:
        return self._backlogs[subscription]

    def published(self, topic: str) -> list[PubsubMessage]:
        return self._topics[topic]

    async def put(self, topic: str, *datas: bytes, key: str = "") -> None:
        """Publish from outside."""
        await self._accept(topic, [PubsubMessage(data=data, ordering_key=key) for data in datas])

    def fails(self, method: str, *plans: StatusCode | Planned | None) -> None:
        """The next calls of the method end so, one after the other; None: never."""
        found = [plan if isinstance(plan, Planned) else Planned(plan) for plan in plans]
        self._plans.setdefault(method, deque()).extend(found)

    async def pass_time(self, seconds: float) -> None:
        """By the server's clock."""
        self._passed += seconds
        await self._tell()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what somebody's call will bring about."""
        async with self._changed, asyncio.timeout(60):
            await self._changed.wait_for(holds)

    def now(self) -> float:
        return asyncio.get_running_loop().time() + self._passed

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _services(self) -> Iterable[grpc.GenericRpcHandler]:
        yield self._service("Publisher", Publish=(self._publish, PublishRequest, PublishResponse.serialize))
        yield self._service(
            "Subscriber",
            Pull=(self._pull, PullRequest, PullResponse.serialize),
            Acknowledge=(self._acknowledge, AcknowledgeRequest, Empty.SerializeToString),
            ModifyAckDeadline=(self._modify, ModifyAckDeadlineRequest, Empty.SerializeToString),
        )

    def _service(self, name: str, **methods: tuple[Callable[[Any, Any], Awaitable[Any]], Any, Any]) -> Any:
        handlers = {
            method: grpc.unary_unary_rpc_method_handler(
                self._answering(method, act), request_deserializer=taken.deserialize, response_serializer=given
            )
            for method, (act, taken, given) in methods.items()
        }
        return grpc.method_handlers_generic_handler(f"google.pubsub.v1.{name}", handlers)

    def _answering(self, method: str, act: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Any]:
        async def answer(request: Any, context: Any) -> Any:
            self.calls.append((method, request))
            self.authorizations += [value for name, value in context.invocation_metadata() if name == "authorization"]
            plans = self._plans.get(method)
            plan = plans.popleft() if plans else None
            result = await act(request, context) if plan is None or plan.takes_effect else None
            await self._tell()
            if plan is not None:
                await _refuse(context, plan)
            return result

        return answer

    async def _publish(self, request: PublishRequest, context: Any) -> PublishResponse:
        if request.topic not in self._topics:
            await context.abort(StatusCode.NOT_FOUND, f"Resource not found (resource={request.topic.split('/')[-1]}).")
        size = sum(PubsubMessage.pb(message).ByteSize() for message in request.messages)
        if size > _LARGEST or any(map(_is_malformed, request.messages)):
            await context.abort(StatusCode.INVALID_ARGUMENT, "A message is too large, or has a malformed attribute.")
        return PublishResponse(message_ids=await self._accept(request.topic, request.messages))

    async def _accept(self, topic: str, messages: Iterable[PubsubMessage]) -> list[str]:
        ids = []
        for message in messages:
            moment = Timestamp()
            moment.GetCurrentTime()
            message.message_id, message.publish_time = str(next(self._numbers)), moment
            self._topics[topic].append(message)
            for backlog in self._backlogs.values():
                if backlog.topic == topic:
                    backlog.copies.append(Copy(message))
            ids.append(message.message_id)
        await self._tell()
        return ids

    async def _pull(self, request: PullRequest, context: Any) -> PullResponse:
        backlog = await self._found(request.subscription, context)
        ends = asyncio.get_running_loop().time() + _PATIENCE
        while not (taken := backlog.take(self.now(), request.max_messages)):
            deadline = backlog.next_deadline()
            expires = ends if deadline is None else min(ends, deadline - self._passed)
            try:
                async with self._changed, asyncio.timeout_at(expires):
                    await self._changed.wait()
            except TimeoutError:
                if expires == ends:
                    break
        return PullResponse(received_messages=taken)

    async def _acknowledge(self, request: AcknowledgeRequest, context: Any) -> Empty:
        (await self._found(request.subscription, context)).settle(request.ack_ids)
        return Empty()

    async def _modify(self, request: ModifyAckDeadlineRequest, context: Any) -> Empty:
        backlog = await self._found(request.subscription, context)
        if not request.ack_ids or not 0 <= request.ack_deadline_seconds <= 600:
            await context.abort(StatusCode.INVALID_ARGUMENT, "You have passed an invalid argument to the service.")
        backlog.extend(request.ack_ids, self.now(), request.ack_deadline_seconds)
        return Empty()

    async def _found(self, subscription: str, context: Any) -> Backlog:
        if subscription not in self._backlogs:
            await context.abort(StatusCode.NOT_FOUND, f"Resource not found (resource={subscription.split('/')[-1]}).")
        return self._backlogs[subscription]


async def _refuse(context: Any, plan: Planned) -> None:
    if plan.code is None:
        await asyncio.Event().wait()
    elif plan.retry_after is not None:
        asked = Packed()
        asked.Pack(RetryInfo(retry_delay=Duration(seconds=int(plan.retry_after))))
        status = Status(code=plan.code.value[0], message="planned", details=[asked])
        await context.abort(plan.code, "planned", (("grpc-status-details-bin", status.SerializeToString()),))
    else:
        await context.abort(plan.code, "planned")


def _is_malformed(message: PubsubMessage) -> bool:
    """By the limits that Pub/Sub documents."""
    wrong = [
        name
        for name, value in message.attributes.items()
        if not name or name.startswith("goog") or len(name.encode()) > 256 or len(value.encode()) > 1024
    ]
    is_empty = not message.data and not message.attributes
    return bool(wrong) or is_empty or len(message.attributes) > _MOST or len(message.ordering_key.encode()) > 1024
