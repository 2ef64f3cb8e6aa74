"""What runs where, by which rules: directives, queues, namespaces and retry policies as data."""

from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.specs.check import Offered, Registered, check
from windrow.specs.entries import LONGEST_HEARTBEAT, Activity, Agent, Directive, Family, Queue, Retry, Workflow
from windrow.specs.finding import Finding
from windrow.specs.load import SHIPPED, Reading, copy, read
from windrow.specs.schema import schema
from windrow.specs.specs import Specs

__all__ = [
    "LONGEST_HEARTBEAT",
    "SHIPPED",
    "Activity",
    "Agent",
    "Directive",
    "Family",
    "Finding",
    "Offered",
    "Queue",
    "Reading",
    "Registered",
    "Retry",
    "Specs",
    "Workflow",
    "check",
    "copy",
    "load",
    "read",
    "schema",
]


def load(directory: Path = SHIPPED) -> Specs:
    """The specs of a directory, for a process that is to run by them: one that has anything wrong in it is refused."""
    reading = read(directory)
    found = check(reading, Registered())
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise Fatal(f"{found[0]}{more}", code=Code.CONFIGURATION, hint="`windrow specs check` lists everything")
    return reading.specs
