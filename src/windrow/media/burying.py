"""What cannot be read as a job goes to the dead letter topic, as much of it as tells what it was."""

from dataclasses import dataclass
from functools import partial

from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.media.announcing import Topics, plain
from windrow.media.dead_letter import LONGEST_EXCERPT, Undecodable, kept, storable
from windrow.media.errors import DecodeMessageError, PersistenceError
from windrow.messages import Draft, publish_many, stable_id
from windrow.postgres import Database
from windrow.telemetry.catalogue import media as telemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """The beginning of something unreadable; `about` is what it is known by: the same thing again is the same dead letter."""

    scope: Scope
    error: DecodeMessageError
    excerpt: str
    about: str
    message_id: str | None


async def bury(database: Database, topics: Topics, remains: Remains) -> None:
    """Write it down, once."""
    told = kept(remains.error)
    letter = Undecodable(
        tag=told["tag"],
        code=told["code"],
        reason=told["message"],
        excerpt=storable(remains.excerpt, LONGEST_EXCERPT),
        message_id=storable(remains.message_id, LONGEST_EXCERPT) if remains.message_id else None,
    )
    tenant_id = remains.scope.tenant_id
    draft = Draft(
        payload=plain(letter),
        attributes={"kind": "Undecodable", "tag": letter.tag},
        message_id=stable_id(
            "media", tenant_id, "Undecodable", storable(remains.about, LONGEST_EXCERPT), letter.excerpt
        ),
    )
    try:
        async with database.tenant(tenant_id) as tx:
            if await publish_many(tx, topics.dead_letters, [draft]):
                tx.after_commit(partial(telemetry.DEAD_LETTERS.add, 1, tag=letter.tag))
    except WindrowError as away:
        raise PersistenceError(away.message, code=away.code, hint=away.hint) from away
