"""What is known about the work under way: bound once at the edge, carried by every log line and span below it."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})
_bound: ContextVar[Mapping[str, str]] = ContextVar("windrow_bound", default=_NOTHING)


@contextmanager
def bound(**fields: str | None) -> Iterator[None]:
    """Add fields to everything said inside; a None leaves the field as it was."""
    known = {name: value for name, value in fields.items() if value is not None}
    token = _bound.set({**_bound.get(), **known})
    try:
        yield
    finally:
        _bound.reset(token)


def current() -> Mapping[str, str]:
    """The fields bound here."""
    return _bound.get()


def correlation_id() -> str:
    """The id that ties together all that was done for one cause; made anew where nobody brought one."""
    return _bound.get().get("correlation_id") or uuid.uuid4().hex
