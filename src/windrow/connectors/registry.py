"""Which connectors there are: Windrow's own and any that another distribution offers.

A connector is an entry point of the group `windrow.connectors` whose name is that of its spec. One that cannot be used
is listed with the reason, and takes none of the others with it.
"""

import difflib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.telemetry import redact

GROUP = "windrow.connectors"

AnyConnector = type[Connector[Any]]


@dataclass(frozen=True, slots=True)
class Offered:
    """One name and what stands behind it: a connector, or the reason why there is none to use."""

    name: str
    distributions: tuple[str, ...]
    connector: AnyConnector | None = None
    broken: str | None = None


def offered(found: Iterable[EntryPoint] | None = None) -> list[Offered]:
    """Every connector by name. Loads them all; those that a process does not use are better left to `find`."""
    return [_loaded(name, entries) for name, entries in _named(found).items()]


def find(name: str, found: Iterable[EntryPoint] | None = None) -> AnyConnector:
    """The connector of this name."""
    named = _named(found)
    if name not in named:
        raise _unknown(name, named)
    offer = _loaded(name, named[name])
    if offer.connector is None:
        raise Fatal(
            f"the connector {name} cannot be used: {offer.broken}",
            code=Code.CONFIGURATION,
            hint=f"mend or remove what offers it: {', '.join(offer.distributions)}",
        )
    return offer.connector


def _named(found: Iterable[EntryPoint] | None) -> dict[str, list[EntryPoint]]:
    named: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP) if found is None else found:
        same = named.setdefault(entry.name, [])
        # one distribution can be found twice on the path, with the same word to say
        if (_distribution(entry), entry.value) not in [(_distribution(other), other.value) for other in same]:
            same.append(entry)
    return dict(sorted(named.items()))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"


def _loaded(name: str, entries: list[EntryPoint]) -> Offered:
    behind = tuple(_distribution(entry) for entry in entries)
    if len(entries) > 1:
        who = " and ".join(f"{_distribution(entry)} ({entry.value})" for entry in entries)
        return Offered(name, behind, broken=f"{who} offer this name, and nothing says which is meant")
    try:
        thing = entries[0].load()
    # whatever a stranger's module does when it is imported, the others are to be usable
    except (Exception, SystemExit) as error:
        said = " ".join(redact(str(error)).split())[:300]
        return Offered(name, behind, broken=f"{entries[0].value} does not load: {type(error).__name__}: {said}")
    if fault := _fault(name, thing):
        return Offered(name, behind, broken=f"{entries[0].value} {fault}")
    return Offered(name, behind, connector=thing)


def _fault(name: str, thing: Any) -> str | None:
    """What keeps the thing behind an entry point from being a connector."""
    if not (isinstance(thing, type) and issubclass(thing, Connector)):
        return "is no Connector"
    spec = inspect.getattr_static(thing, "spec", None)
    if not isinstance(spec, ConnectorSpec):
        return "has no `spec`"
    if inspect.isabstract(thing):
        return f"does not say how to {', '.join(sorted(thing.__abstractmethods__))}"
    if spec.name != name:
        return f"calls itself {spec.name!r} in its spec"
    return None


def _unknown(name: str, known: Mapping[str, object]) -> ValidationFailure:
    near = difflib.get_close_matches(name.lower(), known, 3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return ValidationFailure(
        f"there is no connector {name[:80]!r}",
        code=Code.NOT_FOUND,
        hint=f"{meant}known are: {', '.join(known) or 'none'} (`windrow connectors`)",
    )
