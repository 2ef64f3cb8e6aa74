"""What is asked: the address and the parameters that a stream, its parent and its place in the list come to. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx2

from windrow.connectors.rest.cursor import Frame, short_hash
from windrow.connectors.rest.definition import Definition, PagingType, Stream
from windrow.connectors.rest.functions import refused, text
from windrow.connectors.rest.scope import Scope
from windrow.connectors.rest.templates import template
from windrow.contracts.errors import Code, Fatal
from windrow.http.urls import checked_url, origin_of, shown

_LINKED = (PagingType.LINK, PagingType.NEXT)
Scalars = dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class Request:
    """One request: where to, and what is asked for. `asked_for` is how many records at most, where that is said.

    Of a list that is counted, `place` is what it is asked from, and the first `repeats` records were there before.
    """

    url: str
    params: Scalars = field(default_factory=dict)
    asked_for: int | None = None
    place: int | None = None
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class Api:
    """A definition at its address, with the values that the endpoint's author gave."""

    definition: Definition
    base_url: str
    values: Mapping[str, str]

    @property
    def known_as(self) -> str:
        """A short name for what is harvested, and how; not for the pace of it."""
        said = self.definition.model_dump(mode="json", exclude={"rate", "limits", "title", "relist_hours"})
        return short_hash([said, self.base_url, self.values])

    def request(self, frame: Frame, since: datetime | None) -> Request:
        """What asks for the next part of a list."""
        stream = self.definition.streams[frame.stream]
        paging = stream.pagination
        if paging.type in _LINKED and isinstance(frame.next, str):
            return Request(self.at(frame.next))
        scope = self._scope(frame, stream, since)
        params = {name: _parameter(template(written).value(scope)) for name, written in stream.params.items()}
        # one record is asked for again: if another stands in its place, the list has moved under us
        repeats = 1 if frame.before else 0
        place = frame.next - repeats if isinstance(frame.next, int) else frame.next
        size = min(frame.size, paging.size_most) if paging.size_param else None
        if paging.size_param:
            params[paging.size_param] = str(size)
        if paging.param and place is not None:
            params[paging.param] = str(place)
        given = {name: value for name, value in params.items() if value is not None}
        counted = place if isinstance(place, int) else None
        return Request(self._below(stream, scope), given, size, counted, repeats)

    @property
    def token_url(self) -> str:
        """Where tokens are asked for."""
        said = self.definition.auth.token_url or ""
        return said if "://" in said else f"{self.base_url.rstrip('/')}/{said.lstrip('/')}"

    def at(self, target: str) -> str:
        """A path and query of this origin as an address: where a link led, without its host."""
        if not target.startswith("/") or not target.isascii():
            raise refused("what was kept of a link is no path")
        return str(checked_url(self.base_url).copy_with(raw_path=target.encode("ascii")))

    def is_home(self, url: httpx2.URL) -> bool:
        """Whether an address is of the origin to which our credentials belong."""
        return origin_of(url) == origin_of(checked_url(self.base_url))

    def must_be_home(self, url: str) -> None:
        """Refuse an answer from elsewhere."""
        if not self.is_home(checked_url(url)):
            raise Fatal(
                f"{shown(self.base_url)} redirects to {shown(url)}",
                code=Code.CONFIGURATION,
                hint="configure the address that it redirects to, if that is meant",
            )

    def _scope(self, frame: Frame, stream: Stream, since: datetime | None) -> Scope:
        overlap = timedelta(seconds=stream.incremental.overlap_seconds) if stream.incremental else timedelta(0)
        return Scope(
            {
                "parent": frame.parent,
                "grandparent": frame.grandparent,
                "values": self.values,
                "since": since - overlap if since and stream.incremental else None,
            }
        )

    def _below(self, stream: Stream, scope: Scope) -> str:
        path = template(stream.path).escaped(scope, _segment)
        return f"{self.base_url.rstrip('/')}/{path.lstrip('/')}"


def _segment(value: str) -> str:
    # they would lead elsewhere than the path says
    if value.strip() in ("", ".", ".."):
        raise refused(f"{value!r} is no part of a path")
    return quote(value, safe="")


def _parameter(value: Any) -> str | list[str] | None:
    if isinstance(value, list):
        return [text(one) for one in value if one is not None]
    return None if value is None else text(value)
