"""A small set of specs that is in order, to be broken by the tests."""

from pathlib import Path

from windrow.specs import Finding, Offered, Registered, check, read

WHOLE = """\
agents:
  harvester: {says: Reads.}
queues:
  meta-py: {runtime: python, says: Heavy work.}
  meta-ts: {runtime: any, says: Light work.}
families:
  harvesters:
    owner: platform
    contact: "#ops"
    retention_days: 30
    encryption: alias/key
    says: Harvests.
retries:
  transient: {error_class: RetryableTransient, first_seconds: 30, ceiling_seconds: 600, attempts: 8, says: Later.}
  conflict: {error_class: Conflict, first_seconds: 5, ceiling_seconds: 60, attempts: 6, spread: 0.5, says: Soon.}
  validation: {error_class: ValidationFailure, first_seconds: 0, ceiling_seconds: 0, attempts: 1, says: Never.}
  fatal: {error_class: Fatal, first_seconds: 0, ceiling_seconds: 0, attempts: 1, says: Never.}
  runs: {first_seconds: 60, ceiling_seconds: 3600, attempts: null, says: Between runs.}
workflows:
  rakeWorkflow:
    queue: meta-ts
    activity_queues: [meta-py, meta-ts]
    family: harvesters
    says: Rakes.
activities:
  rake.pull:
    queues: [meta-py]
    says: Pulls.
directives:
  rakeWorkflow:
    version: "1"
    agent: harvester
    queue: meta-ts
    workflow: rakeWorkflow
    family: harvesters
    page_size: 100
    retries: [transient, conflict, validation, fatal]
    backoff: runs
    contracts: [normalized-item@1]
    says: Rake.
  shelves:
    version: "1"
    agent: harvester
    queue: meta-py
    workflow: rakeWorkflow
    family: harvesters
    page_size: 100
    retries:
      - transient
      - conflict
      - validation
      - fatal
    contracts: [normalized-item@1]
    says: Read shelves.
"""

CODE = Registered(
    workflows={"meta-ts": frozenset({"rakeWorkflow"})},
    families={"harvesters": frozenset({"rakeWorkflow"})},
    activities={"meta-py": frozenset({"rake.pull"})},
    connectors={"shelves": Offered(version="1", queue="meta-py", page_size=100)},
)


def broken(written: str, instead: str, text: str = WHOLE) -> str:
    """The sample with one thing changed; that it is there at all is checked."""
    assert text.count(written) == 1, f"{written!r} is there {text.count(written)} times"
    return text.replace(written, instead)


def line(fragment: str, text: str, nth: int = 1) -> int:
    """The line on which something stands for the nth time."""
    return [number for number, each in enumerate(text.splitlines(), 1) if fragment in each][nth - 1]


def found(directory: Path, registered: Registered = CODE, **files: str | bytes) -> list[Finding]:
    """What is found in a directory with these files."""
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (directory / f"{name}.yaml").write_bytes(data)
    return check(read(directory), registered)


def told(directory: Path, registered: Registered = CODE, **files: str | bytes) -> list[str]:
    """The same as a person reads it, without the directory's name."""
    return [str(each).replace(f"{directory}/", "") for each in found(directory, registered, **files)]
