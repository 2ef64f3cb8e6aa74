"""The table of sources: found, added, edited, removed; each change with its line in the audit trail.

A removed endpoint keeps its row, since the catalog's items carry its name; adding the name again revives the row, and
its version goes on rising.
"""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from psycopg.types.json import Jsonb

from windrow.contracts.errors import Code, Conflict, ValidationFailure
from windrow.contracts.scope import Actor, Scope, checked_name
from windrow.endpoints import trail
from windrow.endpoints.endpoint import EDITABLE, Endpoint
from windrow.endpoints.rules import check
from windrow.postgres import Query, Transaction, load
from windrow.postgres.pool import Row

Q = load(__package__)


async def find(tx: Transaction, scope: Scope, endpoint_id: str, *, removed: bool = False) -> Endpoint | None:
    """The endpoint, or None. One that was removed is not found unless asked for."""
    found = await _row(tx, Q.find, scope, endpoint_id)
    return found if found and (removed or found.removed_at is None) else None


async def get(tx: Transaction, scope: Scope, endpoint_id: str, *, removed: bool = False) -> Endpoint:
    """The endpoint; an error that says which one may have been meant where there is none."""
    found = await find(tx, scope, endpoint_id, removed=removed)
    if found is None:
        raise await _missing(tx, scope, endpoint_id)
    return found


async def listed(tx: Transaction, scope: Scope | None = None, *, removed: bool = False) -> list[Endpoint]:
    """The endpoints of a project, or of all the tenant's, by name."""
    rows = await tx.rows(Q.listed, project=scope.project_id if scope else None, removed=removed)
    return [_endpoint(row) for row in rows]


async def standings(tx: Transaction, scope: Scope | None = None) -> dict[tuple[str, str], tuple[str, str | None]]:
    """How each that is harvested is, in one word, and what keeps it from being well; by project and name."""
    rows = await tx.rows(Q.standings, project=scope.project_id if scope else None)
    return {(row["project_id"], row["endpoint_id"]): (row["condition"], row["why"]) for row in rows}


async def page(
    tx: Transaction, scope: Scope, *, removed: bool = False, after: str | None = None, limit: int = 50
) -> list[Endpoint]:
    """Some endpoints of a project, by name, behind the last one of the page before."""
    rows = await tx.rows(
        Q.page, tenant=scope.tenant_id, project=scope.project_id, removed=removed, after=after or "", limit=limit
    )
    return [_endpoint(row) for row in rows]


async def add(tx: Transaction, endpoint: Endpoint, actor: Actor) -> Endpoint:
    """Add a source, or revive a removed one of the same name; as it is stored."""
    endpoint = check(endpoint)
    before = await _row(tx, Q.seize, endpoint.scope, endpoint.endpoint_id)
    row = await tx.row(Q.add, connector=endpoint.connector, **_place(endpoint), **_settings(endpoint))
    if row is None:
        raise Conflict(
            f"endpoint {endpoint.endpoint_id!r} is already there",
            code=Code.ALREADY_EXISTS,
            hint=f"`windrow endpoint show {endpoint.endpoint_id}` shows it, `windrow endpoint edit` changes it",
        )
    stored = _endpoint(row)
    await trail.record(tx, actor, "revive" if before else "add", before, stored)
    return stored


async def edit(
    tx: Transaction,
    endpoint: Endpoint,
    changes: Mapping[str, Any],
    *,
    expected_version: int,
    actor: Actor,
    reason: str | None = None,
) -> Endpoint:
    """Change what is `EDITABLE`, over the version that the editor has seen. Changes that change nothing write nothing."""
    if strange := set(changes) - set(EDITABLE):
        raise ValidationFailure(
            f"{', '.join(sorted(strange))} of an endpoint cannot be edited",
            hint="another connector is another source: add an endpoint for it, and remove this one",
        )
    before = await _seized(tx, endpoint.scope, endpoint.endpoint_id, expected_version)
    wanted = check(replace(before, **changes))
    if not trail.difference(before, wanted):
        return before
    row = await tx.row(Q.edit, expected=expected_version, **_place(wanted), **_settings(wanted))
    assert row, "held since it was read"
    stored = _endpoint(row)
    await trail.record(tx, actor, "edit", before, stored, reason=reason)
    return stored


async def remove(
    tx: Transaction, scope: Scope, endpoint_id: str, *, actor: Actor, reason: str, expected_version: int | None = None
) -> Endpoint:
    """Harvest it no more. Its items stay in the catalog, as they were seen last."""
    before = await _seized(tx, scope, endpoint_id, expected_version)
    row = await tx.row(Q.remove, expected=before.version, **_place(before))
    assert row, "held since it was read"
    stored = _endpoint(row)
    await trail.record(tx, actor, "remove", before, stored, reason=reason)
    return stored


async def checked(tx: Transaction, scope: Scope, endpoint_id: str) -> None:
    """The source was asked just now, whether or not it had anything new."""
    await tx.execute(Q.checked, tenant=scope.tenant_id, project=scope.project_id, endpoint=endpoint_id)


async def _seized(tx: Transaction, scope: Scope, endpoint_id: str, expected_version: int | None) -> Endpoint:
    """The endpoint for a change, if it is still the one that was seen."""
    found = await _row(tx, Q.seize, scope, endpoint_id)
    if found is None or found.removed_at is not None:
        raise await _missing(tx, scope, endpoint_id)
    if expected_version not in (None, found.version):
        raise Conflict(
            f"endpoint {endpoint_id!r} is at version {found.version}, not at {expected_version}",
            code=Code.CAS_MISMATCH,
            hint=f"`windrow endpoint show {endpoint_id}` shows what it is now; decide anew",
        )
    return found


async def _missing(tx: Transaction, scope: Scope, endpoint_id: str) -> ValidationFailure:
    """What to say where there is none: that it was removed, or which one may have been meant."""
    if await find(tx, scope, endpoint_id, removed=True):
        return ValidationFailure(
            f"endpoint {endpoint_id!r} was removed",
            code=Code.NOT_FOUND,
            hint=f"`windrow endpoint add {endpoint_id} …` revives it",
        )
    rows = await tx.rows(Q.names, tenant=scope.tenant_id, project=scope.project_id)
    near = difflib.get_close_matches(endpoint_id, [row["endpoint_id"] for row in rows], n=3)
    meant = f"perhaps {' or '.join(near)}; " if near else ""
    return ValidationFailure(
        f"there is no endpoint {endpoint_id[:80]!r} in project {scope.project_id}",
        code=Code.NOT_FOUND,
        hint=f"{meant}`windrow endpoint list` shows those that are there",
    )


async def _row(tx: Transaction, query: Query, scope: Scope, endpoint_id: str) -> Endpoint | None:
    checked_name("endpoint", endpoint_id)
    row = await tx.row(query, tenant=scope.tenant_id, project=scope.project_id, endpoint=endpoint_id)
    return _endpoint(row) if row else None


def _endpoint(row: Row) -> Endpoint:
    fields = dict(row)
    return Endpoint(scope=Scope(fields.pop("tenant_id"), fields.pop("project_id")), **fields)


def _place(endpoint: Endpoint) -> dict[str, str]:
    scope = endpoint.scope
    return {"tenant": scope.tenant_id, "project": scope.project_id, "endpoint": endpoint.endpoint_id}


def _settings(endpoint: Endpoint) -> dict[str, Any]:
    return {name: getattr(endpoint, name) for name in EDITABLE} | {"config": Jsonb(endpoint.config)}
