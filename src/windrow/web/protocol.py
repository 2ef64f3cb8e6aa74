"""HTTP/1.1 on the wire, for clients that cannot be trusted to be quick, or to speak HTTP.

Uvicorn's own protocol waits without end for a head that does not come and for a reader that does not read.
"""

import asyncio
import json
import uuid
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from windrow.contracts.errors import Code
from windrow.telemetry.catalogue import console as telemetry
from windrow.web.limits import ServerLimits
from windrow.web.problem import MEDIA_TYPE, Refusal, problem


def patient_protocol(limits: ServerLimits) -> type[asyncio.Protocol]:
    """The protocol with its limits: uvicorn makes one for each connection, and hands it nothing of ours."""

    class Bounded(PatientProtocol):
        def __init__(self, config: Config, server_state: ServerState, app_state: dict[str, Any], **rest: Any) -> None:
            super().__init__(config, server_state, app_state, **rest)
            self.limits = limits

    return Bounded


class PatientProtocol(H11Protocol):
    """Patient, not endlessly so."""

    limits: ServerLimits
    # since when nobody waits for an answer here
    quiet_since: float = 0
    _head: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.quiet_since = self.loop.time()
        telemetry.CONNECTIONS.set(len(self.connections))
        self._await_head()
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_waiting_for_reader()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        telemetry.CONNECTIONS.set(len(self.connections))

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._head is None and not self.transport.is_closing():
            self._await_head()

    def on_response_complete(self) -> None:
        self.quiet_since = self.loop.time()
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self.loop.call_later(self.limits.linger_seconds, self._cut_lingering, self.cycle)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self._stuck or self._after(self.limits.idle_seconds, "stuck")

    def resume_writing(self) -> None:
        self._stop_waiting_for_reader()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says the same for all
        """What is no HTTP gets the one error shape too, and then nothing more."""
        telemetry.CUT.add(1, reason="malformed")
        if self.cycle is not None and not self.cycle.response_complete:
            # the request under way was not whole: whoever reads its body must not take what came for all of it
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        refusal = Refusal(400, "this is not an HTTP request that can be read", code=Code.INVALID)
        told = problem(refusal, correlation_id=uuid.uuid4().hex, request_id=uuid.uuid4().hex)
        headers = [("content-type", MEDIA_TYPE), ("connection", "close"), ("x-content-type-options", "nosniff")]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=json.dumps(told).encode()),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def is_quiet(self) -> bool:
        """Whether it waits for nothing from us."""
        return not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete)

    def _make_room(self) -> None:
        """Whoever came has most likely something to ask: who has been quiet for the longest goes in his stead."""
        others = (other for other in self.connections if other is not self)
        quiet = [other for other in others if isinstance(other, PatientProtocol) and other.is_quiet]
        min(quiet, key=lambda other: other.quiet_since, default=self).cut("crowded")

    def _await_head(self) -> None:
        self._head = self._after(self.limits.head_seconds, "slow")

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_waiting_for_reader(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _after(self, seconds: float, reason: str) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self.cut, reason)

    def _cut_lingering(self, answered: RequestResponseCycle) -> None:
        """End a client that still sends what was refused long ago; one that has gone on to another request may stay."""
        if self.cycle is answered and self.conn.their_state is h11.SEND_BODY:
            self.cut("slow")

    def cut(self, reason: str) -> None:
        """End it, with nothing more said."""
        if not self.transport.is_closing() or reason == "stuck":
            telemetry.CUT.add(1, reason=reason)
            self.transport.abort()
