"""The calls to Pub/Sub, by Google's own client: one try each, within a time; who calls decides about the next.

The client that Google recommends gathers messages in threads of its own and tries again by itself: two owners of a retry,
and several messages of a key under way at once. So the generated one below it is used.
"""

import asyncio
import importlib.util
import logging
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any, Self

from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.messages.pubsub.endpoint import Endpoint
from windrow.messages.pubsub.envelope import Envelope
from windrow.messages.pubsub.received import PulledMessage

_SCOPE = "https://www.googleapis.com/auth/pubsub"
# well within the time that a delivery has, so that a Pub/Sub that hangs is heard of as such
_TIMEOUT = 15.0
# of the event loop; it takes three
_TURNS_TO_BEGIN = 5
_OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


class PubSub:
    """Pub/Sub, connected at the first call. Without an endpoint it is Google's own, with what google-auth finds for the process."""

    def __init__(self, endpoint: Endpoint | None = None, *, timeout: float = _TIMEOUT) -> None:
        self._endpoint, self._timeout = endpoint, timeout
        self._kept = AsyncExitStack()
        self._connecting = asyncio.Lock()
        self._credentials: Any = None
        self._publisher: Any = None
        self._subscriber: Any = None

    async def __aenter__(self) -> Self:
        _check_installed()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._kept.aclose()

    async def publish(self, topic: str, envelope: Envelope) -> str:
        """Hand one message over; Pub/Sub's own id for it."""
        message = {
            "data": envelope.data,
            "attributes": dict(envelope.attributes),
            "ordering_key": envelope.ordering_key,
        }
        answer = await self._publish("publish", topic, {"topic": topic, "messages": [message]})
        return str(answer.message_ids[0])

    async def pull(self, subscription: str, *, limit: int, wait: float) -> list[PulledMessage]:
        """Up to so many messages; none when there were none for that long."""
        request = {"subscription": subscription, "max_messages": limit}
        try:
            answer = await self._subscribe("pull", subscription, request, timeout=wait)
        except WindrowError as error:
            if error.code is Code.TIMEOUT:
                return []
            raise
        return [PulledMessage.of(received) for received in answer.received_messages]

    async def acknowledge(self, subscription: str, ack_ids: Iterable[str]) -> None:
        """They are handled."""
        await self._subscribe("acknowledge", subscription, {"subscription": subscription, "ack_ids": list(ack_ids)})

    async def extend(self, subscription: str, ack_ids: Iterable[str], seconds: int) -> None:
        """They are ours for so long from now on; for 0 seconds: they may go to anybody at once."""
        request = {"subscription": subscription, "ack_ids": list(ack_ids), "ack_deadline_seconds": seconds}
        await self._subscribe("modify_ack_deadline", subscription, request)

    async def _publish(self, method: str, resource: str, request: dict[str, Any]) -> Any:
        async with self._connecting:
            if self._publisher is None:
                self._publisher = await self._connected("publisher", "Publisher")
        return await self._call(getattr(self._publisher, method), resource, request, self._timeout)

    async def _subscribe(
        self, method: str, resource: str, request: dict[str, Any], *, timeout: float | None = None
    ) -> Any:
        async with self._connecting:
            if self._subscriber is None:
                self._subscriber = await self._connected("subscriber", "Subscriber")
        return await self._call(getattr(self._subscriber, method), resource, request, timeout or self._timeout)

    async def _call(self, method: Any, resource: str, request: dict[str, Any], timeout: float) -> Any:
        from windrow.messages.pubsub.failures import meaning

        calling = asyncio.ensure_future(method(request=request, retry=None, timeout=timeout))
        try:
            return await asyncio.shield(calling)
        except asyncio.CancelledError:
            await _called_off(calling)
            raise
        except Exception as error:
            raise meaning(error, resource) from None

    async def _connected(self, module: str, name: str) -> Any:
        """The client, which is closed with us."""
        services = await asyncio.to_thread(_loaded, module)
        if self._endpoint and self._endpoint.is_open:
            client = self._in_the_open(services, name, self._endpoint)
        else:
            client = await self._identified(services, name)
        self._kept.push_async_callback(client.transport.close)
        return client

    def _in_the_open(self, services: Any, name: str, endpoint: Endpoint) -> Any:
        from grpc import aio

        client = getattr(services, f"{name}AsyncClient")
        transport = client.get_transport_class("grpc_asyncio")
        return client(transport=transport(channel=aio.insecure_channel(endpoint.address, options=_OPTIONS)))

    async def _identified(self, services: Any, name: str) -> Any:
        if self._credentials is None:
            self._credentials = await asyncio.to_thread(_found)
        options = {"api_endpoint": self._endpoint.address} if self._endpoint else {}
        return getattr(services, f"{name}AsyncClient")(credentials=self._credentials, client_options=options)


def _loaded(module: str) -> Any:
    """Google's module, and what its errors mean: together they take a second, which is not the event loop's."""
    importlib.import_module("windrow.messages.pubsub.failures")
    return importlib.import_module(f"google.pubsub_v1.services.{module}")


async def _called_off(calling: "asyncio.Future[Any]") -> None:
    """gRPC loses sight of a call that is cancelled at the moment it begins, and it would take messages that nobody gets."""
    for _ in range(_TURNS_TO_BEGIN):
        await asyncio.sleep(0)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)


def _found() -> Any:
    """Who the process is to Google: a key file, a federated identity, the machine's service account."""
    # at DEBUG google-auth logs whole responses, tokens among them
    logging.getLogger("google.auth").setLevel(logging.INFO)
    import google.auth

    from windrow.messages.pubsub.failures import meaning

    try:
        credentials, _ = google.auth.default(scopes=[_SCOPE])
    except Exception as error:
        raise meaning(error, "the process") from None
    return credentials


def _check_installed() -> None:
    """Heard of when the process starts, and not with the first message. To import it would take a second."""
    try:
        found = importlib.util.find_spec("google.pubsub_v1")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise Fatal(
            "Pub/Sub needs google-cloud-pubsub, which is not installed",
            code=Code.CONFIGURATION,
            hint="pip install 'windrow[gcp]'",
        )
