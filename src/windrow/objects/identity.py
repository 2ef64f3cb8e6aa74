"""What a store is known by wherever it lies: an id that it was given once, and that moves along with the objects."""

import re
import uuid
from contextlib import suppress

from windrow.contracts.errors import Code, Conflict, Fatal, ValidationFailure
from windrow.objects.keys import OWN
from windrow.objects.store import Objects

KEY = "identity"

_SHAPE = re.compile(rb"[0-9a-f]{32}\n?")
_LONGEST = 1024


async def identity(objects: Objects) -> str | None:
    """The id of the store; None if it was never given one."""
    try:
        found = await objects.own().get(KEY, limit=_LONGEST)
    except ValidationFailure as error:
        if error.code is Code.NOT_FOUND:
            return None
        raise _unreadable() from error
    if not _SHAPE.fullmatch(found):
        raise _unreadable()
    return found.decode().strip()


async def identified(objects: Objects) -> str:
    """The id of the store, which is given one where it has none; of many that do so at once, one succeeds."""
    if found := await identity(objects):
        return found
    with suppress(Conflict):  # somebody else was quicker, or our own put was repeated on the way
        await objects.own().put_if_absent(KEY, f"{uuid.uuid4().hex}\n".encode(), content_type="text/plain")
    given = await identity(objects)
    if given is None:
        raise Fatal(
            "the object store does not keep what is put into it",
            code=Code.CORRUPTED,
            hint="`windrow doctor` writes, reads and deletes an object there",
        )
    return given


def _unreadable() -> Fatal:
    return Fatal(
        f"what lies in the object store as {OWN}/{KEY} is no id",
        code=Code.CORRUPTED,
        hint="restore it from a backup; or take it away, and then run `windrow doctor --adopt-store`",
    )
