"""Are the specs whole, and are they what the code does? Pure: what the code registers is given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from windrow.contracts import item, orders
from windrow.specs.agree import agreement
from windrow.specs.finding import Finding
from windrow.specs.load import Reading

# what crosses from one queue to another, in the versions that this code speaks
CONTRACTS = frozenset({item.CONTRACT, orders.RUN_ORDER, orders.RUN_RESULT, orders.PREVIEW_ORDER, orders.EXPORT_ORDER})


@dataclass(frozen=True, slots=True)
class Offered:
    """A connector as its code declares it; `shipped` with Windrow, or brought by another distribution."""

    version: str
    queue: str
    page_size: int
    shipped: bool = True


@dataclass(frozen=True, slots=True)
class Registered:
    """What the code registers: workflows by queue and by family, activities by queue, connectors by name; and the
    contracts that it knows.

    None where the code is not asked: then nothing is said about it.
    """

    workflows: Mapping[str, frozenset[str]] | None = None
    families: Mapping[str, frozenset[str]] | None = None
    activities: Mapping[str, frozenset[str]] | None = None
    connectors: Mapping[str, Offered] | None = None
    contracts: frozenset[str] = CONTRACTS


def check(reading: Reading, registered: Registered) -> list[Finding]:
    """Everything that is wrong, by file and line: with the files, among the specs, between specs and code."""
    specs = reading.specs
    queues = {name: {workflow.queue} for name, workflow in specs.workflows.items()}
    families = {name: {workflow.family} for name, workflow in specs.workflows.items()}
    activities = {name: set(activity.queues) for name, activity in specs.activities.items()}
    found = {
        *reading.findings,
        *agreement(reading, registered.contracts),
        *_against(reading, "workflows", "queues", queues, registered.workflows),
        *_against(reading, "workflows", "families", families, registered.families),
        *_against(reading, "activities", "queues", activities, registered.activities),
        *_connectors(reading, registered.connectors),
    }
    return sorted(found)


def _against(
    reading: Reading,
    section: str,
    homes: str,
    declared: Mapping[str, set[str]],
    registered: Mapping[str, frozenset[str]] | None,
) -> Iterator[Finding]:
    """Each is registered where it is declared to be, and nowhere else; each that is registered is declared."""
    if registered is None:
        return
    places = reading.specs.places
    for name, due in declared.items():
        actual = {home for home, names in registered.items() if name in names}
        if not actual:
            yield places.finding("no worker registers it", section, name)
        elif actual != due:
            reason = f"is registered for {_listed(actual)}, and declared for {_listed(due)}"
            yield places.finding(reason, section, name)
    for home, names in registered.items():
        if home not in reading.written[homes]:
            yield places.finding(f"workers serve {home!r}, which is not declared", homes)
        for name in names - reading.written[section].keys():
            yield places.finding(f"{name!r} is registered for {home!r}, and not declared", section)


def _connectors(reading: Reading, offered: Mapping[str, Offered] | None) -> Iterator[Finding]:
    """Windrow's own connectors are declared as they are; others declare themselves, but for the queues."""
    if offered is None:
        return
    places = reading.specs.places
    for name, directive in reading.specs.directives.items():
        if name in reading.written["workflows"]:
            continue
        if name not in offered:
            yield places.finding("is neither a workflow nor a connector", "directives", name)
            continue
        for part in ("version", "queue", "page_size"):
            mine, theirs = getattr(directive, part), getattr(offered[name], part)
            if mine != theirs:
                yield places.finding(f"is {mine!r}, and the connector says {theirs!r}", "directives", name, part)
    for name, connector in offered.items():
        if connector.queue not in reading.written["queues"]:
            yield places.finding(f"the connector {name!r} wants {connector.queue!r}, which is not declared", "queues")
        if connector.shipped and name not in reading.written["directives"]:
            yield places.finding(f"the connector {name!r} is not declared", "directives")


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
