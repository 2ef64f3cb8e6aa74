"""One write: what it carries, as the parameters of its statement."""

import json
from dataclasses import dataclass
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Actor
from windrow.kv.entry import Semantics, Writer, checked_text
from windrow.kv.value import Canonical
from windrow.telemetry import context

_LARGEST_VERSION = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A put, or with no value a deletion."""

    key: Key
    value: Canonical | None
    expected_version: int
    request_id: str
    semantics: Semantics | None
    writer: Writer
    spec_ref: str | None
    actor: Actor | None

    def __post_init__(self) -> None:
        checked_text("request id", self.request_id)
        if self.spec_ref is not None:
            checked_text("spec reference", self.spec_ref)
        # a deletion names the version that it deletes; a put may expect that nothing is there
        lowest = 0 if self.value else 1
        if not lowest <= self.expected_version <= _LARGEST_VERSION:
            raise ValidationFailure(
                f"expected version {self.expected_version} is refused",
                code=Code.INVALID_VALUE,
                hint="give the version that was read; a put that expects nothing there says 0",
            )

    def parameters(self) -> dict[str, Any]:
        """By name, as the statement takes them."""
        said, value = self.semantics, self.value
        # an agent that acts by itself is its own actor
        actor = self.actor or Actor(str(self.writer), authority="agent")
        return {
            "tenant": self.key.scope.tenant_id,
            "key": str(self.key),
            "value": value.text if value else None,
            "hash": value.hash if value else None,
            "expected": self.expected_version,
            "request_id": self.request_id,
            "purpose": said.purpose if said else None,
            "producer": said.producer if said else None,
            "consumer_hints": json.dumps(said.consumer_hints) if said else None,
            "ttl_seconds": said.ttl_seconds if said else None,
            "writer": str(self.writer),
            "spec_ref": self.spec_ref,
            "actor": actor.name,
            "authority": actor.authority,
            "correlation_id": context.current().get("correlation_id"),
        }
