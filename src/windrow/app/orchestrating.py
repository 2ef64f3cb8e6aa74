"""The orchestration, wired: clients of the families' namespaces, the activities, the workers, the schedules."""

import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.client import Client

from windrow import endpoints, kv, messages, specs
from windrow.app.compose import temporal_address
from windrow.app.declarations import directory, namespaces
from windrow.app.exporting import destination_of
from windrow.app.outside import Outside
from windrow.app.previewing import previewed
from windrow.app.sources import Sources
from windrow.app.temporal import temporal_target
from windrow.connectors import registry
from windrow.contracts.errors import Code, RetryableTransient
from windrow.endpoints import Endpoint
from windrow.harvest.subscriber import Subscriber
from windrow.orchestration import controls, schedules, search_attributes
from windrow.orchestration.activities.collection import CollectionActivities
from windrow.orchestration.activities.export import ExportActivities
from windrow.orchestration.activities.lifecycle import LifecycleActivities
from windrow.orchestration.activities.preview import PreviewActivities
from windrow.orchestration.activities.retention import RetentionActivities
from windrow.orchestration.connect import dial
from windrow.orchestration.controls import Controls
from windrow.orchestration.namespaces import require
from windrow.orchestration.schedules import Rebuilt
from windrow.orchestration.worker import WorkerLimits, Workers, workers
from windrow.outbox import retention as outbox
from windrow.postgres import Database, idempotency
from windrow.settings import Settings

HARVESTERS, BACKFILLS = "harvesters", "backfills"
FAMILIES = (HARVESTERS, BACKFILLS)


@dataclass(frozen=True, slots=True)
class Temporal:
    """A client for each family, by its name."""

    clients: dict[str, Client]

    @property
    def harvesters(self) -> Client:
        return self.clients[HARVESTERS]

    @property
    def backfills(self) -> Client:
        return self.clients[BACKFILLS]


async def connected(settings: Settings, families: Iterable[str] = FAMILIES, *, address: str | None = None) -> Temporal:
    """Clients of the families' namespaces, which must be there and be meant for them (OR-5)."""
    at = address or temporal_address(settings)
    if at is None:
        raise RetryableTransient(
            "no Temporal is known",
            code=Code.TEMPORAL_UNREACHABLE,
            hint="start everything on this machine with `windrow up`, or name a server in WINDROW_TEMPORAL_ADDRESS",
        )
    clients: dict[str, Client] = {}
    for family in families:
        (wanted,) = namespaces(settings, families=(family,))
        client = await dial(await temporal_target(settings, os.environ, at, namespace=wanted.name))
        await require(client, environment=settings.environment, family=family)
        await search_attributes.ensure(client)
        clients[family] = client
    return Temporal(clients)


def activities(
    settings: Settings, database: Database, beyond: Outside, subscriber: Subscriber
) -> list[Callable[..., Any]]:
    """Every step that a workflow may ask for."""
    sources = Sources(settings, database, beyond.vault)
    collection = CollectionActivities(
        database=database,
        open=sources.open,
        spec_of=lambda name: registry.find(name).spec,
        subscriber=subscriber,
        tenant_runs=settings.tenant_runs,
        heartbeat_of=_heartbeats(settings),
    )
    preview = PreviewActivities(
        database=database,
        take=lambda endpoint, bounds: previewed(settings, os.environ, endpoint, bounds),
        places=settings.endpoint_previews,
    )
    export = ExportActivities(database=database, destination=lambda order: destination_of(settings, order, None))
    retention = RetentionActivities(_purges(settings, database))
    return [
        collection.begin,
        collection.harvest_slice,
        collection.settle,
        collection.fail,
        collection.note_retry,
        collection.close_lane,
        LifecycleActivities(database).record_state,
        preview.sample,
        export.write_part,
        retention.purge,
    ]


def _heartbeats(settings: Settings) -> Callable[[str], timedelta]:
    """As often as a connector's directive declares; one that nobody declared beats as seldom as is allowed (MW-30)."""
    declared = specs.load(directory(settings)).directives
    longest = timedelta(seconds=specs.LONGEST_HEARTBEAT)
    return lambda connector: declared[connector].heartbeat if connector in declared else longest


def _purges(settings: Settings, database: Database) -> dict[str, Callable[[], Awaitable[int | None]]]:
    keep = timedelta(hours=settings.message_retention_hours)
    return {
        "outbox": lambda: outbox.purge(database, keep_hours=settings.outbox_retention_hours),
        "kv": lambda: kv.sweep(database),
        "messages": lambda: messages.purge(database, keep=keep),
        "idempotency": lambda: idempotency.purge(database),
        "transitions": lambda: controls.purge(database, keep_days=settings.transition_days),
    }


def working(
    settings: Settings,
    database: Database,
    beyond: Outside,
    subscriber: Subscriber,
    temporal: Temporal,
    queues: Iterable[str],
) -> Workers:
    """Workers for these queues, made and not yet run."""
    return workers(
        temporal.clients,
        queues,
        activities(settings, database, beyond, subscriber),
        limits=WorkerLimits(grace=timedelta(seconds=settings.shutdown_timeout_sec)),
        payload_hashes=settings.log_payload_hashes,
    )


async def rebuilt_schedules(database: Database, client: Client) -> Rebuilt:
    """Make Temporal's schedules agree with the endpoints of all tenants, and see that the retention has one."""
    await schedules.keep_retention(client)
    return await schedules.rebuild(client, await scheduled(database))


async def scheduled(database: Database) -> list[tuple[Endpoint, Controls]]:
    """Every endpoint that has a schedule, with what is known about it."""
    found: list[tuple[Endpoint, Controls]] = []
    for tenant_id in await controls.tenants(database):
        async with database.tenant(tenant_id) as tx:
            for endpoint in await endpoints.listed(tx):
                known = await controls.find(tx, endpoint.scope, endpoint.endpoint_id)
                found += [(endpoint, known)] if endpoint.schedule else []
    return found
