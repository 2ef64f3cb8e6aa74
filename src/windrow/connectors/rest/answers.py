"""What an answer says: its records, and what follows it. Pure, but that a link may repeat what is secret."""

from dataclasses import dataclass
from typing import Any

import httpx2

from windrow.connectors.rest.cursor import Frame, Token
from windrow.connectors.rest.definition import Pagination, PagingType, Stream
from windrow.connectors.rest.mapping import is_true
from windrow.connectors.rest.paths import parse_path
from windrow.connectors.rest.requests import Api, Request
from windrow.connectors.rest.scope import Scope
from windrow.connectors.rest.templates import template
from windrow.contracts.errors import Code, ValidationFailure
from windrow.http import Response
from windrow.http.urls import joined, shown
from windrow.telemetry.redaction import secret_by_name

LONGEST_TOKEN = 4096
# records in one answer, for a path that gathers them from several lists
_LONGEST_LIST = 10_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """The records of one part of a list, and the token of the next part; None where the list ends."""

    records: list[Any]
    next: Token | None = None
    calm: bool = True
    # whether the record before the first one was where it is expected, of a list that is counted
    in_place: bool = True


def records_of(response: Response, body: Any, stream: Stream) -> list[Any]:
    """The list of records. A name that is missing is no empty list: it may be one that was changed, or an error."""
    path = parse_path(stream.records)
    found = path.value(Scope({"body": body}, _LONGEST_LIST)) if path.present(body) else ()
    if found is None and path.steps:
        return []
    if not isinstance(found, list):
        what = "is not there" if found in ((), None) else f"is a {type(found).__name__}"
        raise broken(f"{shown(response.url)} answered, and {stream.records} {what}, where a list was due", "records")
    return found


def following(api: Api, frame: Frame, request: Request, response: Response, body: Any, records: list[Any]) -> Any:
    """What asks for the next part: a path, a cursor or a number; None where there is none."""
    paging = api.definition.streams[frame.stream].pagination
    shown_headers = {name.lower(): value for name, value in response.headers.items() if not secret_by_name(name)}
    last = records[-1] if records else None
    scope = Scope({"body": body, "headers": shown_headers, "last": last, "values": api.values})
    if paging.more is not None and not is_true(paging.more, scope):
        return None
    match paging.type:
        case PagingType.LINK:
            return _linked(api, response, response.links.get("next"))
        case PagingType.NEXT:
            return _linked(api, response, template(paging.next or "").value(scope))
        case PagingType.CURSOR:
            return _cursor(template(paging.next or "").value(scope))
        case PagingType.OFFSET | PagingType.PAGE:
            return _counted(frame, paging, request, scope, records)
        case _:
            return None


def _linked(api: Api, response: Response, target: Any) -> str | None:
    """Where a link leads, without its host: that is ours to know. Credentials are in none of our links."""
    if _is_none(target):
        return None
    if not isinstance(target, str):
        raise broken(f"the next link of {shown(response.url)} is a {type(target).__name__}", "pagination.next")
    url = joined(httpx2.URL(response.url), target)
    if not api.is_home(url):
        raise broken(f"the next link of {shown(response.url)} leads to {shown(url)}, another origin", "base_url")
    if param := api.definition.auth.param:
        url = url.copy_remove_param(param) if param in url.params else url
    return short(url.raw_path.decode("ascii"))


def _cursor(value: Any) -> str | None:
    if _is_none(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise broken(f"the next cursor is a {type(value).__name__}", "pagination.next")
    return short(str(value))


def _is_none(token: Any) -> bool:
    # a cursor may well be 0
    return token is None or token is False or token == ""


def _counted(frame: Frame, paging: Pagination, request: Request, scope: Scope, records: list[Any]) -> int | None:
    """The next offset or page number."""
    first = 0 if paging.type is PagingType.OFFSET else paging.first
    at = first if request.place is None else request.place
    behind = at + (len(records) if paging.type is PagingType.OFFSET else 1)
    if len(records) <= request.repeats or (paging.stop == "short" and len(records) < (request.asked_for or 0)):
        return None
    if paging.total is not None:
        total = template(paging.total).value(scope)
        if isinstance(total, bool) or not isinstance(total, int):
            raise broken("the total is no whole number", "pagination.total")
        read = behind if paging.type is PagingType.OFFSET else frame.read + len(records)
        return behind if read < total else None
    return behind


def short(token: str) -> str:
    """A token, if it is one that a cursor can hold."""
    if not token.isprintable() or len(token.encode()) > LONGEST_TOKEN:
        raise broken(f"what asks for the next part has {len(token)} characters, or some that are none", "pagination")
    return token


def broken(message: str, field: str) -> ValidationFailure:
    """The source does not answer as the definition says."""
    return ValidationFailure(
        message, code=Code.INVALID_VALUE, hint=f"compare {field} of the definition with what the API answers"
    )
