"""A web of one server, and clients that may reach it and nothing else on this machine."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import prometheus_client
import pytest
from tests.fakes.web import Web

from windrow.contracts.retry import RetryPolicy
from windrow.http import HttpClient, HttpPolicy

AT_ONCE = RetryPolicy(timedelta(0), timedelta(0), attempts=3)

Connect = Callable[..., HttpClient]
Counted = Callable[..., float]


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as server:
        yield server


@pytest.fixture
async def connect(web: Web, request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Makes clients: `connect(auth=…, policy={…})`. The source of their metrics is the test's own name."""
    async with AsyncExitStack() as stack:

        def made(*, policy: dict[str, Any] | None = None, allow: tuple[str, ...] = (), **parts: Any) -> HttpClient:
            granted = {"source": request.node.name, "hiccups": AT_ONCE, **(policy or {})}
            client = HttpClient(HttpPolicy(allow=(web.door, *allow), **granted), **parts)
            stack.push_async_exit(client)
            return client

        yield made


@pytest.fixture
def client(connect: Connect) -> HttpClient:
    return connect()


@pytest.fixture
def counted(request: pytest.FixtureRequest) -> Counted:
    """The value of a metric, for the client of this test."""

    def value(name: str, **labels: str) -> float:
        wanted = {"source": request.node.name, **labels}.items()
        samples = (sample for family in prometheus_client.REGISTRY.collect() for sample in family.samples)
        return sum(sample.value for sample in samples if sample.name == name and wanted <= sample.labels.items())

    return value
