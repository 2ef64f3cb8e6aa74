"""An HTTP server inside our process: owned, started and stopped like everything else."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from windrow.contracts.errors import Code, Fatal, classify
from windrow.telemetry import emit
from windrow.telemetry.catalogue import console as telemetry
from windrow.web.limits import ServerLimits
from windrow.web.protocol import patient_protocol

BACKLOG = 256


def check_loopback(host: str) -> None:
    """A token that lies on this machine is for this machine."""
    if not is_loopback(host):
        raise Fatal(
            f"{host[:80]!r} is not an address of this machine alone",
            code=Code.CONFIGURATION,
            hint="leave WINDROW_HTTP_HOST at 127.0.0.1 and put a proxy with TLS in front (WINDROW_HTTP_URL)",
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can call there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, *, setting: str = "WINDROW_HTTP_PORT") -> socket.socket:
    """A socket that listens, before anything else is started: a port that is taken is known at once. 0: a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named as TCP: of any other socket asyncio does not know that small writes must not wait for one another (40 ms each)
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        found = classify(error)
        hint = f"choose another in {setting}, or stop what is using it"
        raise type(found)(f"cannot listen at {host}:{port}: {error.strerror}", code=found.code, hint=hint) from error
    return bound


def door_of(listening: socket.socket) -> str:
    """`host:port`, as a client writes it."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def names_of(listening: socket.socket) -> set[str]:
    """By which names clients on this machine may call it."""
    port = listening.getsockname()[1]
    doors = {door_of(listening), f"localhost:{port}"}
    return doors | ({door.rpartition(":")[0] for door in doors} if port == 80 else set())


@asynccontextmanager
async def serving(app: ASGIApp, listening: socket.socket, limits: ServerLimits) -> AsyncIterator[None]:
    """Answer requests as long as the block lasts. Then what is in hand is finished, or cut after the timeout."""
    url = f"http://{door_of(listening)}"
    server = _Server(_config(app, limits))
    task = asyncio.create_task(server.serve(sockets=[listening]), name="http")
    try:
        await server.listens(task)
        emit("server.started", url=url)
        yield
    finally:
        server.stop()
        try:
            await task
        finally:
            cut = await server.cut_off()
            listening.close()
            emit("server.stopped", url=url, cut=cut)


def _config(app: ASGIApp, limits: ServerLimits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=patient_protocol(limits),
        ws="none",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=limits.head_bytes,
        # declared whole, but fractions are taken
        timeout_keep_alive=limits.keep_alive_seconds,  # type: ignore[arg-type]
        timeout_graceful_shutdown=limits.shutdown_seconds,  # type: ignore[arg-type]
    )


class _Server(uvicorn.Server):
    """Uvicorn, but for the signals, which are the process's, and for what it leaves behind."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ready, self._asked = asyncio.Event(), asyncio.Event()

    def stop(self) -> None:
        """Ask it to end."""
        self.should_exit = True
        self._asked.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()

    async def main_loop(self) -> None:
        """Until it is asked to end, without looking ten times a second whether it was."""
        while not self._asked.is_set():
            # sets the date of the answers
            await self.on_tick(0)
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._asked.wait()

    async def listens(self, task: asyncio.Task[None]) -> None:
        """Return when it does, or raise what it failed with."""
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait({ready, task}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if task.done():
            await task

    async def cut_off(self) -> int:
        """End what the timeout left: requests are cancelled and seen to their end, connections are broken off."""
        connections, tasks = list(self.server_state.connections), list(self.server_state.tasks)
        for connection in connections:
            telemetry.CUT.add(1, reason="shutdown")
            connection.transport.abort()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(connections)
