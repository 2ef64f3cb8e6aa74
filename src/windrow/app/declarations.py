"""The specs, as the settings name them, beside what the code registers; and the namespaces that follow from them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from windrow import specs
from windrow.app.compose import temporal_address
from windrow.connectors import registry
from windrow.contracts.errors import Code, RetryableTransient
from windrow.settings import Settings

if TYPE_CHECKING:  # Temporal's client takes a while to load, and not every command needs it
    from temporalio.client import Client

    from windrow.orchestration.namespace import Namespace
    from windrow.orchestration.namespaces import Applied


def directory(settings: Settings) -> Path:
    """Where the spec files are."""
    return settings.specs or specs.SHIPPED


def registered() -> specs.Registered:
    """What our workers register, and which connectors are installed."""
    from windrow.orchestration.registry import ACTIVITIES, FAMILIES, WORKFLOWS

    return specs.Registered(
        workflows={queue: frozenset(map(workflow_name, each)) for queue, each in WORKFLOWS.items()},
        families={family: frozenset(map(workflow_name, each)) for family, each in FAMILIES.items()},
        activities={queue: frozenset(each) for queue, each in ACTIVITIES.items()},
        connectors=_connectors(),
    )


def workflow_name(workflow: type) -> str:
    """The name that `workflow.defn` gave it."""
    return str(getattr(workflow, "__temporal_workflow_definition").name)


def _connectors() -> dict[str, specs.Offered]:
    return {
        offer.name: specs.Offered(
            version=offer.connector.spec.version,
            queue=offer.connector.spec.queue,
            page_size=offer.connector.spec.page_sizes.standard,
            shipped=any(each.startswith("windrow ") for each in offer.distributions),
        )
        for offer in registry.offered()
        if offer.connector
    }


def namespaces(settings: Settings, *, tenant: str | None = None, families: Iterable[str] = ()) -> "list[Namespace]":
    """The namespaces of this environment; a tenant's own, if one is named."""
    from windrow.orchestration.namespace import declared

    loaded = specs.load(directory(settings))
    return declared(loaded, settings.environment, settings.namespace_separator, tenant=tenant, families=families)


async def apply_namespaces(settings: Settings, address: str) -> "list[Applied]":
    """Create or mend the namespaces of this environment on the server at this address, as `windrow up` does for its own."""
    from windrow.orchestration.namespaces import apply

    return await apply(await _dialled(settings, address), namespaces(settings))


async def reach(settings: Settings, namespace: str | None = None) -> "Client":
    """A client of the Temporal that the settings or the running stack name, whether or not it has the namespace."""
    address = temporal_address(settings)
    if address is None:
        raise RetryableTransient(
            "no Temporal is known",
            code=Code.TEMPORAL_UNREACHABLE,
            hint="start everything on this machine with `windrow up`, or name a server in WINDROW_TEMPORAL_ADDRESS",
        )
    return await _dialled(settings, address, namespace)


async def _dialled(settings: Settings, address: str, namespace: str | None = None) -> "Client":
    from windrow.app.temporal import temporal_target
    from windrow.orchestration.connect import dial

    return await dial(await temporal_target(settings, os.environ, address, namespace=namespace))
