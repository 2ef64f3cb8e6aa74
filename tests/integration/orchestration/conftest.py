"""A namespace of this test worker's own: others poll queues of the same names."""

import asyncio
import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from google.protobuf.duration_pb2 import Duration
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, RegisterNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.testing import TimeSkipper, WorkflowEnvironment

from windrow.contracts.errors import WindrowError
from windrow.orchestration import search_attributes
from windrow.stack.programs import temporal_program


@pytest.fixture(scope="session")
def namespace(temporal_address: str) -> str:
    """Registered once, and known to all parts of the server."""
    return asyncio.run(made_namespace(temporal_address))


@pytest.fixture
async def client(temporal_address: str, namespace: str) -> Client:
    return await Client.connect(temporal_address, namespace=namespace)


@pytest.fixture(scope="session")
def skipping_address() -> Iterator[str]:
    """A Temporal whose clocks jump to the next timer: hours pass in a second."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        environment = runner.run(
            WorkflowEnvironment.start_time_skipping_v2(
                dev_server_existing_path=str(temporal_program()),
                dev_server_extra_args=["--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true"],
                dev_server_log_level="error",
                dev_server_startup_timeout=timedelta(seconds=60),
            )
        )
        yield environment.client.service_client.config.target_host
        runner.run(environment.shutdown())


@pytest.fixture
async def skipping(skipping_address: str) -> Client:
    """A client whose workflows skip their waits."""
    client = await Client.connect(skipping_address)
    await search_attributes.ensure(client)
    return TimeSkipper(client).client


async def made_namespace(address: str) -> str:
    name = f"test-{uuid.uuid4().hex[:8]}"
    client = await Client.connect(address, namespace=name)
    await client.workflow_service.register_namespace(
        RegisterNamespaceRequest(
            namespace=name, workflow_execution_retention_period=Duration(seconds=int(timedelta(days=1).total_seconds()))
        )
    )
    while True:
        try:
            await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=name), retry=False)
            await search_attributes.ensure(client)
        except (RPCError, WindrowError):
            await asyncio.sleep(0.1)
        else:
            return name
