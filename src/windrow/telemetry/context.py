"""What is known about the work under way: bound once at the edge, carried by every log line and span below it."""

import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})
_bound: ContextVar[Mapping[str, str]] = ContextVar("windrow_bound", default=_NOTHING)


class bound:  # noqa: N801 - reads like the function that it stands for
    """Add fields to everything said inside; a None leaves the field as it was."""

    __slots__ = ("_fields", "_token")

    def __init__(self, **fields: str | None) -> None:
        self._fields = fields

    def __enter__(self) -> None:
        known = {name: value for name, value in self._fields.items() if value is not None}
        self._token = _bound.set({**_bound.get(), **known})

    def __exit__(self, *_: object) -> None:
        _bound.reset(self._token)


def current() -> Mapping[str, str]:
    """The fields bound here."""
    return _bound.get()


def correlation_id() -> str:
    """The id that ties together all that was done for one cause; made anew where nobody brought one."""
    return _bound.get().get("correlation_id") or uuid.uuid4().hex
