"""A client of a Temporal server that is really there, in a namespace that really exists."""

import asyncio
import os
from datetime import timedelta

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from windrow.contracts.errors import Code, Fatal, RetryableTransient


async def connect(address: str, namespace: str, *, patience: timedelta = timedelta(seconds=5)) -> Client:
    """Connect and look: connecting to a namespace that is missing succeeds, and only asking for it tells."""
    try:
        async with asyncio.timeout(patience.total_seconds()):
            await _reach(address)
            client = await Client.connect(address, namespace=namespace)
    except (RuntimeError, OSError) as error:
        raise _unreachable(address, error) from error
    try:
        await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=namespace), timeout=patience, retry=False
        )
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise Fatal(
                f"Temporal at {address} has no namespace {namespace!r}",
                code=Code.CONFIGURATION,
                hint="create it, or name another in WINDROW_TEMPORAL_NAMESPACE",
            ) from error
        raise _unreachable(address, error) from error
    return client


async def _reach(address: str) -> None:
    """A plain connection first: when it fails, the system says why in two words, and the SDK in two hundred."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        raise Fatal(
            f"{address!r} is not host:port", code=Code.CONFIGURATION, hint="set WINDROW_TEMPORAL_ADDRESS to host:port"
        )
    _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    writer.close()


def _unreachable(address: str, error: Exception) -> RetryableTransient:
    number = error.errno if isinstance(error, OSError) else None
    told = os.strerror(number) if number and number > 0 else str(error)
    reason = " ".join(told.split())[:200] or "no answer"
    return RetryableTransient(
        f"Temporal at {address} cannot be reached: {reason}",
        code=Code.TEMPORAL_UNREACHABLE,
        hint="check that it runs: `windrow up` starts one here, WINDROW_TEMPORAL_ADDRESS names another",
    )
