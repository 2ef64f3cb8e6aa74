"""What is told about a change of an endpoint: a line in the audit trail, and a log event once it has committed.

Both name what changed and never hold a configuration's values: they are their author's.
"""

from functools import partial
from typing import Any

from windrow.contracts.identity import canonical
from windrow.contracts.scope import Actor
from windrow.endpoints.endpoint import EDITABLE, Endpoint
from windrow.postgres import Transaction, audit
from windrow.telemetry import emit

_EVENTS = {
    "add": "endpoint.added",
    "revive": "endpoint.revived",
    "edit": "endpoint.edited",
    "remove": "endpoint.removed",
}


def difference(before: Endpoint, after: Endpoint) -> list[str]:
    """The names of what differs; of a configuration, those of its fields."""
    plain = [name for name in EDITABLE if name != "config" and getattr(before, name) != getattr(after, name)]
    # as JSON: Python takes true for 1, a connector may not
    old, new = ({name: canonical(value) for name, value in one.config.items()} for one in (before, after))
    fields = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    return plain + [f"config.{name}" for name in fields]


async def record(
    tx: Transaction,
    actor: Actor,
    action: str,
    before: Endpoint | None,
    after: Endpoint,
    *,
    reason: str | None = None,
) -> None:
    """Tell of a change that was made in this transaction."""
    changed = difference(before, after) if before and action == "edit" else []
    await audit.record(
        tx,
        actor,
        f"endpoints.{action}",
        f"endpoints/{after}",
        before=before.settings() if before else None,
        after=after.settings() if after.removed_at is None else None,
        project_id=after.scope.project_id,
        reason=reason,
        details={"connector": after.connector, "version": after.version} | ({"changed": changed} if changed else {}),
    )
    tx.after_commit(partial(_say, _EVENTS[action], after, actor, {"changed": changed} if changed else {}))


def _say(event: str, endpoint: Endpoint, actor: Actor, more: dict[str, Any]) -> None:
    emit(
        event,
        tenant_id=endpoint.scope.tenant_id,
        project_id=endpoint.scope.project_id,
        endpoint_id=endpoint.endpoint_id,
        connector=endpoint.connector,
        version=endpoint.version,
        actor=actor.name,
        **more,
    )
