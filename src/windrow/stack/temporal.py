"""The embedded Temporal development server: how it is launched, asked and stopped."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any
from urllib.parse import quote

from windrow.contracts.errors import Code, RetryableTransient
from windrow.stack.config import EmbeddedTemporal
from windrow.stack.engine_user import EngineUser
from windrow.stack.place import own_directory
from windrow.stack.ports import LOOPBACK
from windrow.stack.process import Parting

CHECK_SECONDS = 5
# a kill -9 loses nothing in this mode; a power cut may lose the last moments, which Postgres, the truth, still has
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL")


@dataclass(frozen=True, slots=True)
class TemporalPorts:
    """The ports of one server, on the loopback address."""

    grpc: int
    ui: int
    http: int
    metrics: int

    @classmethod
    def of(cls, ports: Mapping[str, int]) -> "TemporalPorts":
        return cls(ports["temporal"], ports["temporal_ui"], ports["temporal_http"], ports["temporal_metrics"])

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.grpc}"

    @property
    def ui_url(self) -> str:
        return f"http://{LOOPBACK}:{self.ui}"


class Temporal:
    """One process with an SQLite file; for one machine, as its makers say."""

    name = "temporal"
    parting = Parting(Signals.SIGTERM, (Signals.SIGKILL,))

    def __init__(
        self, directory: Path, program: Path, user: EngineUser | None, ports: TemporalPorts, config: EmbeddedTemporal
    ) -> None:
        self.directory = directory
        self.user = user
        self.ports = ports
        self._program = program
        self._config = config

    async def prepare(self) -> None:
        own_directory(self.directory, self.user)

    def argv(self) -> list[str]:
        return [
            str(self._program), "server", "start-dev", "--ip", LOOPBACK, "--ui-disable-news-fetch",
            # a name without a path, in the directory it works in: `?`, `#` and `%` in a path mean something to SQLite
            "--db-filename", "temporal.db",
            "--port", str(self.ports.grpc), "--ui-port", str(self.ports.ui),
            "--http-port", str(self.ports.http), "--metrics-port", str(self.ports.metrics),
            *_flags("--sqlite-pragma", PRAGMAS),
            *_flags("--namespace", self._config.namespaces),
            *_flags("--dynamic-config-value", _pairs(self._config.dynamic_config)),
            *_flags("--search-attribute", _pairs(self._config.search_attributes)),
        ]  # fmt: skip

    async def check(self) -> str:
        return await temporal_version(self.ports, self._config.namespaces)


async def temporal_version(ports: TemporalPorts, namespaces: Iterable[str]) -> str:
    """The server's version, once every namespace can be described: before that, clients would be refused."""
    async with asyncio.timeout(CHECK_SECONDS):
        for namespace in ("default", *namespaces):
            await _get(ports.http, f"/api/v1/namespaces/{quote(namespace, safe='')}")
        return str((await _get(ports.http, "/api/v1/system-info"))["serverVersion"])


async def reach(address: str) -> None:
    """Open a connection to a cluster that is not ours, and close it."""
    host, _, port = address.rpartition(":")
    async with asyncio.timeout(CHECK_SECONDS):
        _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()


def _flags(flag: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (flag, value)]


def _pairs(values: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


async def _get(port: int, path: str) -> dict[str, Any]:
    """One small GET on the loopback address: the SDK takes longer to load than the server to start."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(f"GET {path} HTTP/1.0\r\nHost: {LOOPBACK}\r\n\r\n".encode())
        answer = await reader.read()
    finally:
        writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RetryableTransient(f"temporal answers {head[:60]!r} to {path}", code=Code.TEMPORAL_UNREACHABLE)
    found: dict[str, Any] = json.loads(body)
    return found
