"""`/live/…`: a page's part that renews itself, as server-sent events.

The part is drawn again every few seconds and sent when it has changed; between that, a heartbeat. A browser that gets none,
or is refused because it has too many open, asks for the whole page now and then.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from windrow.console.pages.rendering import Renderer, View
from windrow.console.session import Session, Visit
from windrow.console.session.sessions import Sessions
from windrow.contracts.errors import WindrowError
from windrow.postgres.cancellation import is_cancelled
from windrow.telemetry.catalogue import sessions as told

Look = Callable[[Visit], Awaitable[View]]

# a browser opens six connections to a host over HTTP/1.1: with all of them streaming, it could load no page any more
MOST = 4
EVERY, BEAT, LONGEST = 3.0, 15.0, 600.0
# how long ago something was changes all the time, and browsers count that themselves
_TIMES = re.compile(r"(<time [^>]*>)[^<]*")
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


class Live:
    """The streams that are open; closed with the server."""

    def __init__(self, renderer: Renderer, sessions: Sessions, *, every: float = EVERY) -> None:
        self._renderer, self._sessions, self._every = renderer, sessions, every
        self._open: Counter[str] = Counter()
        self._ends: set[asyncio.Event] = set()
        self._closed = False

    def close(self) -> None:
        """End all streams now: a server that ends would wait for them."""
        self._closed = True
        for end in self._ends:
            end.set()

    def follow(self, look: Look) -> Callable[[Visit], Awaitable[Response]]:
        """The stream of a view."""

        async def page(visit: Visit) -> Response:
            if self._closed or self._open[visit.session.token.hash] >= MOST:
                return Response(status_code=204)  # by which a browser knows not to come again
            return EventStream(lambda end: self._events(visit, look, end))

        return page

    async def _events(self, visit: Visit, look: Look, end: asyncio.Event) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        begun = beaten = loop.time()
        sent = ""
        with self._counted(visit.session, end):
            yield b"retry: 4000\n\n"
            while not end.is_set() and not is_cancelled() and loop.time() - begun < LONGEST:
                part = await self._part(visit, look)
                if part is None:
                    return
                content = _TIMES.sub(r"\1", part)
                if content != sent:
                    sent, beaten = content, loop.time()
                    yield f"event: part\ndata: {json.dumps(part)}\n\n".encode()
                elif loop.time() - beaten > BEAT:
                    beaten = loop.time()
                    yield b": still here\n\n"
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._every):
                        await end.wait()

    async def _part(self, visit: Visit, look: Look) -> str | None:
        """None where there is nothing to show any more: logged out, or the thing is gone."""
        try:
            if await self._sessions.find(visit.session.token.text, asked=False) != visit.session:
                return None
            return self._renderer.part(visit, await look(visit))
        except WindrowError:
            return None  # the browser comes again in a while, and is told by the page itself what is wrong

    @contextmanager
    def _counted(self, session: Session, end: asyncio.Event) -> Iterator[None]:
        name = session.token.hash
        self._open[name] += 1
        self._ends.add(end)
        told.FOLLOWING.set(len(self._ends))
        try:
            yield
        finally:
            self._ends.remove(end)
            told.FOLLOWING.set(len(self._ends))
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]


class EventStream(Response):
    """Events until there are no more, or nobody listens. Told so, not cancelled: that would break the query that it is in."""

    media_type = "text/event-stream"

    def __init__(self, events: Callable[[asyncio.Event], AsyncIterator[bytes]]) -> None:
        super().__init__(None, 200, _HEADERS)
        self._events = events
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        end = asyncio.Event()
        leaving = asyncio.create_task(_left(receive, end))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                async for piece in self._events(end):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await leaving


async def _left(receive: Receive, end: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    end.set()
