"""What the tests of messages are written with: a sink that remembers, and a relay that is run pass by pass."""

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from prometheus_client import generate_latest

from windrow.contracts.retry import RetryPolicy
from windrow.messages import (
    Delivery,
    Draft,
    Relay,
    RelayLimits,
    Subscription,
    claim,
    publish,
    publish_many,
    route,
    subscribe,
)
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups

TENANT = "acme"
EXACT = RetryPolicy(timedelta(seconds=10), timedelta(seconds=60), attempts=4)


class Recorder:
    """A sink of the outside world: it remembers what came, and fails when told to."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        self.fail: Callable[[Delivery], BaseException | None] = lambda _: None

    async def deliver(self, delivery: Delivery) -> None:
        self.deliveries.append(delivery)
        if error := self.fail(delivery):
            raise error

    @property
    def payloads(self) -> list[Any]:
        return [delivery.message.payload for delivery in self.deliveries]


class Post:
    """Publishing, subscribing and passing on, as a test says it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.sink = Recorder()
        self.jitter = 1.0
        self.relay = self.another_relay("relay", self.sink)

    def another_relay(self, name: str, sink: Recorder, **limits: Any) -> Relay:
        return Relay(
            self.database,
            {"recorder": sink},
            Wakeups(self.database.url),
            name=name,
            limits=RelayLimits(**limits),
            jitter=lambda: self.jitter,
        )

    async def subscribe(
        self,
        name: str = "sub",
        *,
        topic: str = "topic",
        tenant: str = TENANT,
        sink: str | None = "recorder",
        **terms: Any,
    ) -> None:
        async with self.database.tenant(tenant) as tx:
            await subscribe(tx, Subscription(name=name, topic=topic, sink=sink, **({"policy": EXACT} | terms)))

    async def publish(
        self, *payloads: Any, key: str | None = None, topic: str = "topic", tenant: str = TENANT
    ) -> list[UUID]:
        async with self.database.tenant(tenant) as tx:
            return [await publish(tx, topic, payload, key=key) for payload in payloads]

    async def publish_many(self, drafts: Iterable[Draft], *, topic: str = "topic", tenant: str = TENANT) -> int:
        async with self.database.tenant(tenant) as tx:
            return await publish_many(tx, topic, drafts)

    async def drain(self, *relays: Relay) -> None:
        """Pass after pass, until there is nothing left that is due."""
        while any([await relay.run_once() for relay in relays or (self.relay,)]):
            pass

    async def claim(
        self, subscription: str = "sub", *, by: str = "consumer", limit: int = 1, tenant: str = TENANT
    ) -> list[Delivery]:
        """What a pull consumer gets, once everything published is routed."""
        while await route(self.database):
            pass
        async with self.database.tenant(tenant) as tx:
            return await claim(tx, subscription, by=by, limit=limit)

    async def make_due(self, tenant: str = TENANT) -> None:
        """Let the time pass that somebody has to wait: delays and claims run out."""
        async with self.database.tenant(tenant) as tx:
            await tx.connection.execute("UPDATE strands SET due_at = now() - interval '1 second'")

    async def make_due_again_after_failure(self, tenant: str = TENANT) -> None:
        """Let only the delays of failures pass; claims that are held stay so."""
        async with self.database.tenant(tenant) as tx:
            await tx.connection.execute(
                "UPDATE strands SET due_at = now(), attempts = 0 WHERE error IS NOT NULL AND claim IS NULL"
            )

    async def ask(self, question: str, tenant: str = TENANT, **values: Any) -> Any:
        """The only value that the database answers."""
        async with self.database.tenant(tenant) as tx:
            row = await (await tx.connection.execute(question.encode(), values)).fetchone()
            return next(iter(row.values())) if row else None


def counted(metric: str, **labels: str) -> float:
    """What the Prometheus page says now."""
    wanted = {f'{name}="{value}"' for name, value in labels.items()}
    for line in generate_latest().decode().splitlines():
        found = re.fullmatch(rf"{metric}\{{(.*)\}} (\S+)", line)
        if found and wanted <= set(found[1].split(",")):
            return float(found[2])
    return 0.0
