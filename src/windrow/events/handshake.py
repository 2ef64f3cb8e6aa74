"""`OPTIONS /`: whether a sender of web hooks may deliver here (CloudEvents, "HTTP 1.1 Web Hooks", section 4).

It keeps senders from being used against those who expect nothing, and lets nobody in: that takes a token. A callback that
the sender names is never called, since we answer at once, and since it could lead anywhere.
"""

import re

from starlette.requests import Request
from starlette.responses import Response

from windrow.contracts.errors import Code
from windrow.web.problem import Refusal

_ALLOW = {"allow": "OPTIONS, POST"}
# a DNS expression, which may begin with a wildcard
_ORIGIN = re.compile(r"(?=.{1,253}$)(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?", re.ASCII)
_RATE = re.compile(r"0*[1-9][0-9]{0,17}", re.ASCII)
# nobody is throttled here
_ANY_RATE = "*"


async def handshake(request: Request) -> Response:
    """The consent, to whoever asks for it as a sender does; to others only what may be done at this address."""
    origin, rate = request.headers.get("webhook-request-origin"), request.headers.get("webhook-request-rate")
    if origin is None:
        return Response(status_code=204, headers=_ALLOW)
    if not _ORIGIN.fullmatch(origin) or (rate is not None and not _RATE.fullmatch(rate)):
        raise Refusal(
            400,
            "the origin is no DNS name, or the rate no whole number of requests a minute",
            code=Code.INVALID,
            hint="see the CloudEvents specification, HTTP 1.1 Web Hooks",
        )
    consent = {"webhook-allowed-origin": origin, "webhook-allowed-rate": _ANY_RATE}
    return Response(status_code=200, headers=_ALLOW | consent)
