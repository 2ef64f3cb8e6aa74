"""A vendor's API on loopback: a Starlette application, served by a thread of its own.

So one fake answers synchronous tests, asynchronous ones, the conformance suite and other processes alike. A fake subclasses
`Vendor`, gives its `routes`, and holds its state under `lock`: handlers run in the server's thread, while the test
changes the state in another. No `Date` header is sent but the fake's own: its clock is part of what it fakes.
"""

import asyncio
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Asked:
    """A request as it came in, and the status that answered it."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    status: int

    @property
    def line(self) -> str:
        """What was asked for, in one line."""
        return f"{self.method} {self.path}{'?' + self.query if self.query else ''}"


@dataclass
class Vendor(ABC):
    """`with Vendor() as vendor: … vendor.base_url …`, or `start` and `close` by hand."""

    requests: list[Asked] = field(default_factory=list, init=False)
    lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    # asked before each request, with the lock held; an answer of its own stands for the fake's
    before: Callable[[Request], Response | None] | None = field(default=None, init=False)

    @abstractmethod
    def routes(self) -> Sequence[BaseRoute]:
        """What the API answers to."""

    def start(self) -> Self:
        # with its protocol named, asyncio sends answers at once; else each waits for an acknowledgement
        self._socket = socket.socket(proto=socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            self._recorded(Starlette(routes=list(self.routes()))), log_config=None, lifespan="off", date_header=False
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name=type(self).__name__, daemon=True)
        self._listening = threading.Event()
        self._thread.start()
        assert self._listening.wait(60), "the fake does not listen"
        return self

    def close(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True  # nobody waits for the connections that a killed client has left
        self._thread.join(60)
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def door(self) -> str:
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def base_url(self) -> str:
        return f"http://{self.door}"

    def _serve(self) -> None:
        self._socket.listen(64)
        self._listening.set()
        asyncio.run(self._server.serve([self._socket]))

    def _recorded(self, app: ASGIApp) -> ASGIApp:
        async def recorded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                return
            request = Request(scope, receive)
            with self.lock:
                instead = self.before(request) if self.before else None

            async def told(message: Message) -> None:
                if message["type"] == "http.response.start":
                    with self.lock:
                        self.requests.append(_asked(request, message["status"]))
                await send(message)

            await (instead or app)(scope, receive, told)

        return recorded


def _asked(request: Request, status: int) -> Asked:
    return Asked(request.method, request.url.path, request.url.query, dict(request.headers), status)
