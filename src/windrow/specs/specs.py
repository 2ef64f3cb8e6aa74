"""Everything that is declared, by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from windrow.contracts.errors import Code, Fatal
from windrow.specs.entries import Activity, Agent, Directive, Entry, Family, Queue, Retry, Workflow
from windrow.specs.finding import Places

# a name is also part of a namespace's name, a task queue's or a log line: each has its own grammar
SECTIONS: Mapping[str, tuple[type[Entry], str]] = {
    "agents": (Agent, r"^[a-z][a-z0-9-]{0,62}$"),
    "queues": (Queue, r"^[a-z][a-z0-9-]{0,62}$"),
    # without a separator's character: the parts of a namespace's name must stay apart
    "families": (Family, r"^[a-z][a-z0-9]{0,31}$"),
    "retries": (Retry, r"^[a-z][a-z0-9-]{0,62}$"),
    "workflows": (Workflow, r"^[a-z][A-Za-z0-9]{0,62}$"),
    "activities": (Activity, r"^[a-z][A-Za-z0-9_.]{0,62}$"),
    "directives": (Directive, r"^[a-z][A-Za-z0-9_.:-]{0,62}$"),
}


@dataclass(frozen=True, slots=True)
class Specs:
    """What runs where, by which rules, and where that is written."""

    agents: Mapping[str, Agent]
    queues: Mapping[str, Queue]
    families: Mapping[str, Family]
    retries: Mapping[str, Retry]
    workflows: Mapping[str, Workflow]
    activities: Mapping[str, Activity]
    directives: Mapping[str, Directive]
    places: Places = field(repr=False, compare=False)

    def directive(self, name: str) -> Directive:
        """What is declared under this name; a spec that is missing is nothing that a retry could mend."""
        if name not in self.directives:
            raise Fatal(
                f"no spec declares the directive {name[:80]!r}",
                code=Code.CONFIGURATION,
                hint="declare it, and see with `windrow specs check`",
            )
        return self.directives[name]

    def spec_ref(self, name: str) -> str:
        """How log lines, audit and provenance name a directive's spec: as `spec_id@version`."""
        kind = "workflow" if name in self.workflows else "connector"
        return f"{kind}.{name}@{self.directive(name).version}"

    def counts(self) -> dict[str, int]:
        """How many there are of each."""
        return {section: len(getattr(self, section)) for section in SECTIONS}
