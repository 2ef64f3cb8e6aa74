"""`POST /`: whoever may push is let in, what came is read, each letter in it is handled, and the caller is told."""

from starlette.requests import Request
from starlette.responses import Response

from windrow.events.answers import answer, told
from windrow.events.envelope import read
from windrow.events.gate import Gate
from windrow.events.opening import Opener
from windrow.web.bodies import read_wire
from windrow.web.limits import ServerLimits

_BATCH = "application/cloudevents-batch"


class Receiver:
    """Takes what is pushed. Nothing it is sent makes it raise, but for what is refused at the door."""

    def __init__(self, opener: Opener, gate: Gate, limits: ServerLimits, *, most_bytes: int) -> None:
        self._opener, self._gate, self._limits, self._most = opener, gate, limits, most_bytes

    async def receive(self, request: Request) -> Response:
        await self._gate.check(request)
        limits = self._limits
        body = await read_wire(request, most=self._most, idle_seconds=limits.idle_seconds, seconds=limits.json_seconds)
        envelope = read(request.headers.raw, body)
        results = [told(envelope.caller, handled) for handled in await self._opener.opened(envelope)]
        return answer(results, batch=request.headers.get("content-type", "").strip().lower().startswith(_BATCH))
