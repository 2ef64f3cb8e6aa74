"""What people may write by hand: over the version that they have seen, and nothing that an agent steers by."""

import json
import uuid
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from windrow import kv
from windrow.console.pages.desk import Desk
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.kv import Purpose

# what is nobody's but a person's
OFFERED = (Purpose.ANNOTATION, Purpose.FEATURE_FLAG, Purpose.LATCH, Purpose.LOCK)
DONE = {
    "written": "Written. Everybody who may write can change it again; the audit trail keeps who did.",
    "deleted": "Deleted. Its next version will be above this one.",
}
_WRITER = kv.Writer("console", "kv")


class EntryActs:
    """Each says where to go on."""

    def __init__(self, desk: Desk) -> None:
        self._database = desk.database

    async def add(self, visit: Visit) -> str:
        """An entry where nothing is."""
        key = Key(visit.principal.scope, visit.form.get("key", ""))
        purpose = visit.form.get("purpose", "")
        if purpose not in OFFERED:
            raise ValidationFailure("there is no such purpose", code=Code.INVALID_VALUE, hint=", ".join(OFFERED))
        return await self._write(visit, key, kv.Semantics(Purpose(purpose), producer="console"), 0)

    async def change(self, visit: Visit) -> str:
        """Another value, with what the entry is for left as it is."""
        key = _named(visit)
        found = await self._found(key)
        return await self._write(visit, key, replace(found.semantics, producer="console"), _version(visit))

    async def delete(self, visit: Visit) -> str:
        """The version that was seen."""
        key = _named(visit)
        kv.check_by_hand(key, await self._found(key))
        outcome = await kv.delete(
            self._database,
            key,
            expected_version=_version(visit),
            request_id=uuid.uuid4().hex,
            writer=_WRITER,
            actor=visit.principal.actor,
        )
        _first(key, outcome)
        folder = key.path.rpartition("/")[0]
        return f"/kv?q={quote(folder + '/')}&did=deleted" if folder else "/kv?did=deleted"

    async def _write(self, visit: Visit, key: Key, semantics: kv.Semantics, expected: int) -> str:
        value = _value(visit)
        async with self._database.tenant(key.scope.tenant_id) as tx:
            kv.check_by_hand(key, await kv.get(tx, key), semantics.purpose)
            outcome = await kv.put(
                tx,
                key,
                value,
                expected_version=expected,
                request_id=uuid.uuid4().hex,
                semantics=semantics,
                writer=_WRITER,
                actor=visit.principal.actor,
            )
        _first(key, outcome)
        return f"/kv/{quote(key.path)}?did=written"

    async def _found(self, key: Key) -> kv.Envelope:
        found = await kv.get(self._database, key)
        if found is None:
            raise kv.Stale(0, None).conflict(key)
        return found


def _named(visit: Visit) -> Key:
    return Key(visit.principal.scope, visit.request.path_params["path"])


def _version(visit: Visit) -> int:
    text = visit.form.get("version", "")
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ValidationFailure("the form says no version", code=Code.INVALID_VALUE, hint="load the page again")
    return int(text)


def _value(visit: Visit) -> Any:
    try:
        return json.loads(visit.form.get("value", ""))
    except (ValueError, RecursionError):
        raise ValidationFailure(
            "the value is no JSON", code=Code.INVALID_VALUE, hint='text stands in quotes: `"hello"`'
        ) from None


def _first(key: Key, outcome: kv.Outcome) -> None:
    """Somebody else may have written between the look and this."""
    if isinstance(outcome, kv.Stale):
        raise outcome.conflict(key)
