"""What the conformance suite is run on: one subject for every connector that Windrow offers.

Each connector has a module `tests/conformance/subjects_<name>.py` with one function:

    def subject(tmp_path: Path) -> Subject: …

It builds a source below `tmp_path` and returns a `Subject`. `test_connectors.py` finds the modules by their names, and a
registered connector without one fails the run.

The source should have

- at least 120 records, so that pages of 50 are at least three, and stand still but for `mutate`;
- nothing unreadable or malformed in it: those cases are the connector's own tests;
- something that `mutate` changes and something that it deletes, both among what the first pass has shown.

What the suite asks of a connector besides: every call of the source goes through `ExecutionTool(…, context,
concurrency=spec.max_concurrency)`; nothing is asked ahead; `prepare` gives at least one finding; a pass from the last
cursor after `mutate` leaves the same state as a pass from the beginning (the same ids and hashes).
"""

import importlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windrow.connectors.configuration import configured
from windrow.connectors.conformance import Candidate, Limits
from windrow.connectors.connector import Connector
from windrow.connectors.permits import Permits
from windrow.connectors.spec import Credential
from windrow.connectors.standalone import standalone
from windrow.connectors.taps import Taps
from windrow.contracts.scope import Scope
from windrow.http import HttpClient
from windrow.vault import Secret


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A connector, and a source of its kind."""

    name: str
    connector: type[Connector[Any]]
    # as an endpoint would hold it
    config: dict[str, Any]
    # below which the connector may read
    permits_root: Path
    # changes the source: one thing is changed, one is deleted; called once, between two passes
    mutate: Callable[[], None] | None = None
    # what the credential_ref resolves to; the suite makes one up for a connector that takes one and is given none
    credential: str | None = None
    # networks and doors that the connector's HTTP may reach, such as "127.0.0.1:8080"
    addresses: tuple[str, ...] = ()
    # the Singer taps that may be run, by name
    taps: Mapping[str, Path] = field(default_factory=dict)
    # ends what the source runs on
    close: Callable[[], None] = lambda: None


def modules() -> list[str]:
    """The names of the connectors that have a module of their own here."""
    return sorted(path.stem.removeprefix("subjects_") for path in Path(__file__).parent.glob("subjects_*.py"))


def subject(name: str, tmp_path: Path) -> Subject:
    """The subject of one connector, freshly built."""
    made: Subject = importlib.import_module(f"tests.conformance.subjects_{name}").subject(tmp_path)
    return made


def candidate(subject: Subject, cache: Path, *, limits: Limits | None = None) -> Candidate:
    """The subject as the suite takes it."""
    secret = Secret(subject.credential or f"canary-{secrets.token_urlsafe(16)}")

    async def credential() -> Secret | None:
        return None if subject.connector.spec.credential is Credential.NONE else secret

    cache.mkdir(exist_ok=True)
    return Candidate(
        connector=subject.connector,
        config=configured(subject.connector, subject.config),
        context=standalone(
            Scope("acme", "main"),
            permits=Permits("acme", (subject.permits_root.resolve(),), Taps(tuple(subject.taps.items()))),
            cache=cache,
            credential=credential,
            http=lambda policy: HttpClient(replace(policy, allow=subject.addresses)),
        ),
        mutate=subject.mutate,
        limits=limits or Limits(),
    )
