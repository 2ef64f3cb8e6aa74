"""Forms: read within bounds, and believed only when a page of this very session has sent them."""

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

from windrow.console.session.sessions import Session
from windrow.contracts.errors import Code, ValidationFailure
from windrow.web.bodies import read_body
from windrow.web.limits import ServerLimits
from windrow.web.problem import Refusal

FIELD = "form_token"
MOST_FIELDS = 50
_MEDIA_TYPE = "application/x-www-form-urlencoded"


def form_token(session: Session) -> str:
    """What our forms carry. It follows from what the cookie holds, which no other site can read, and needs no storage."""
    return hmac.new(session.token.secret.encode(), b"windrow form", hashlib.sha256).hexdigest()


async def read_form(request: Request, session: Session, limits: ServerLimits) -> Mapping[str, str]:
    """The fields of a form that a page of this session has sent; of a field that stands there twice, the last."""
    check_site(request)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != _MEDIA_TYPE:
        raise ValidationFailure("only a form is taken here", code=Code.CONTENT_TYPE, hint=f"send {_MEDIA_TYPE}")
    body = await read_body(
        request, most=limits.json_bytes, idle_seconds=limits.idle_seconds, seconds=limits.json_seconds
    )
    fields = _decoded(body)
    if not hmac.compare_digest(fields.pop(FIELD, "").encode("utf-8", "replace"), form_token(session).encode()):
        raise _foreign("the form is not one of this session's")
    return fields


def check_site(request: Request) -> None:
    """Browsers say where a request comes from: another port of this machine is another site too."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise _foreign("the form came from another site")


def _decoded(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise ValidationFailure("this is no form", code=Code.INVALID, hint="go back, and send it again") from None
    return {name: value.replace("\0", "\ufffd").strip() for name, value in pairs}


def _foreign(message: str) -> Refusal:
    return Refusal(403, message, code=Code.FORBIDDEN, hint="go back, load the page again, and send it once more")
