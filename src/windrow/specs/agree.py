"""Do the specs agree with one another, and with the waits and contracts that the code knows?"""

from collections import Counter
from collections.abc import Iterator

from windrow.contracts.errors import FAMILY
from windrow.contracts.retry import POLICIES, RUN_BACKOFF
from windrow.specs.entries import Directive
from windrow.specs.finding import Finding, Path
from windrow.specs.load import Reading
from windrow.specs.specs import Specs

# fields that name other entries, and in which section those are
_NAMES = {
    ("workflows", "queue"): "queues",
    ("workflows", "activity_queues"): "queues",
    ("workflows", "family"): "families",
    ("activities", "queues"): "queues",
    ("directives", "agent"): "agents",
    ("directives", "queue"): "queues",
    ("directives", "workflow"): "workflows",
    ("directives", "family"): "families",
    ("directives", "retries"): "retries",
    ("directives", "backoff"): "retries",
}
_CLASSES = {kind.__name__: policy for kind, policy in POLICIES.items()}


def agreement(reading: Reading, contracts: frozenset[str]) -> Iterator[Finding]:
    """Every disagreement."""
    yield from _references(reading)
    yield from _contracts(reading, contracts)
    specs = reading.specs
    for name, directive in specs.directives.items():
        yield from _policies(specs, name, directive)
        yield from _home(specs, name, directive)
    for name in specs.workflows.keys() - reading.written["directives"].keys():
        yield specs.places.finding("no directive has its name", "workflows", name)
    yield from _waits(specs)


def _references(reading: Reading) -> Iterator[Finding]:
    """Whatever is named is declared."""
    for (section, part), into in _NAMES.items():
        for path, name in _mentioned(reading, section, part):
            if name not in reading.written[into]:
                yield reading.specs.places.finding(f"{name!r} is not among the {into}", *path)


def _contracts(reading: Reading, known: frozenset[str]) -> Iterator[Finding]:
    for path, contract in _mentioned(reading, "directives", "contracts"):
        if contract not in known:
            reason = f"{contract!r} is no contract that the code knows: {', '.join(sorted(known))}"
            yield reading.specs.places.finding(reason, *path)


def _mentioned(reading: Reading, section: str, part: str) -> Iterator[tuple[Path, str]]:
    """The names in a field of every entry; also of one that has other faults, which are to hide nothing."""
    for name, body in reading.written[section].items():
        said = body.get(part) if isinstance(body, dict) else None
        for index, each in enumerate(said if isinstance(said, list) else [said]):
            if isinstance(each, str):
                yield (section, name, part, *([index] if isinstance(said, list) else [])), each


def _policies(specs: Specs, name: str, directive: Directive) -> Iterator[Finding]:
    """One policy for each error class, and none of them between runs."""
    known = [specs.retries[retry] for retry in directive.retries if retry in specs.retries]
    covered = Counter[str | None](retry.error_class for retry in known)
    if len(known) == len(directive.retries):
        for kind in FAMILY:
            if covered[kind.__name__] != 1:
                reason = f"{covered[kind.__name__] or 'no'} policies for {kind.__name__}, where one is due"
                yield specs.places.finding(reason, "directives", name, "retries")
        if covered[None]:
            yield specs.places.finding("a policy between runs is no policy within one", "directives", name, "retries")
    between = specs.retries.get(directive.backoff or "")
    if between and between.error_class:
        reason = f"{directive.backoff!r} is for errors within a run"
        yield specs.places.finding(reason, "directives", name, "backoff")


def _home(specs: Specs, name: str, directive: Directive) -> Iterator[Finding]:
    """A directive runs in its workflow's family; one that has a workflow's name is that workflow."""
    if name in specs.workflows and directive.workflow != name:
        yield specs.places.finding(f"{name} is itself a workflow", "directives", name, "workflow")
    workflow = specs.workflows.get(directive.workflow)
    if workflow is None:
        return
    if workflow.family != directive.family:
        reason = f"{directive.workflow} runs in {workflow.family!r}"
        yield specs.places.finding(reason, "directives", name, "family")
    if directive.workflow == name and workflow.queue != directive.queue:
        yield specs.places.finding(f"the workflow runs on {workflow.queue!r}", "directives", name, "queue")
    if directive.workflow != name and directive.queue not in workflow.activity_queues:
        reason = f"{directive.workflow} has no activities on {directive.queue!r}"
        yield specs.places.finding(reason, "directives", name, "queue")


def _waits(specs: Specs) -> Iterator[Finding]:
    """The delays that are declared are those that the code waits."""
    for name, retry in specs.retries.items():
        code = _CLASSES[retry.error_class] if retry.error_class else RUN_BACKOFF
        said = {
            "first_seconds": (retry.first_seconds, code.first.total_seconds()),
            "ceiling_seconds": (retry.ceiling_seconds, code.ceiling.total_seconds()),
            "factor": (retry.factor, code.factor),
            "attempts": (retry.attempts, code.attempts),
            "spread": (retry.spread, code.spread),
        }
        for part, (declared, waited) in said.items():
            if declared != waited:
                yield specs.places.finding(f"is {declared}, and the code says {waited}", "retries", name, part)
