"""`/kv/{path}`: one entry: its value or the fingerprint of it, its version, who wrote it when, and what was before."""

import json
from typing import Any

from windrow import kv
from windrow.console.pages.desk import Desk, done
from windrow.console.pages.kv.acts import DONE
from windrow.console.pages.kv.listed import SEEK, trail
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.postgres import audit
from windrow.telemetry.redaction import PROCESS
from windrow.web.principal import Role
from windrow.web.problem import Refusal

WRITES = 20
# a value has up to a mebibyte, which nobody reads
LONGEST = 20_000


class EntryPage:
    """One entry."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def look(self, visit: Visit) -> View:
        key = _named(visit)
        async with self._database.tenant(key.scope.tenant_id) as tx:
            entry = await kv.get(tx, key)
            if entry is None:
                raise _missing(key.path)
            fingerprints = await kv.Fingerprints.load(tx, key.scope.tenant_id)
            # the trail is the whole tenant's: for admins
            writes = await kv.history(tx, key, limit=WRITES) if visit.may(Role.ADMIN) else None
        hidden = entry.semantics.purpose in kv.HIDDEN
        safe = None if hidden else PROCESS.value(entry.value)
        value = "" if hidden else json.dumps(safe, indent=2, ensure_ascii=False)
        context: dict[str, Any] = {
            "it": entry,
            "trail": trail(key.path),
            "hidden": hidden,
            "fingerprint": fingerprints.of(entry.value),
            "value": value[:LONGEST],
            "cut": len(value) > LONGEST,
            # what is shown in part is not to be written back in part
            "whole": value if not hidden and safe == entry.value and len(value) <= LONGEST else "",
            "by_hand": not hidden and key.path.partition("/")[0] not in kv.OWNED,
            "done": done(visit, DONE),
            "act": visit.request.url.path.rpartition("/")[2] if visit.form else None,
            "writes": None if writes is None else [_write(line) for line in writes],
        }
        live, stream = "kv/one_live.html", f"/live/kv/{key.path}"
        return View("kv/one.html", key.path, "kv", context, live, stream, SEEK)


def _write(line: audit.Entry) -> dict[str, Any]:
    """What happened, without the hashes: that of a short token can be found by trying."""
    return {
        "at": line.at,
        "action": line.action,
        "actor": line.actor,
        "reason": line.reason,
        "version": (line.details or {}).get("version"),
        "same": line.before_hash is not None and line.before_hash == line.after_hash,
    }


def _named(visit: Visit) -> Key:
    path: str = visit.request.path_params["path"]
    try:
        return Key(visit.principal.scope, path)
    except ValidationFailure:
        raise _missing(path) from None


def _missing(path: str) -> Refusal:
    return Refusal(
        404,
        f"there is no entry {path[:80]!r}",
        code=Code.NOT_FOUND,
        hint="it may have run out, or was deleted; the list shows those that are there",
    )
