"""The speaker registry: who probably speaks in the media of a request, or in all of a channel. Edited by people, so audited."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.media.snapshot import SpeakerHint
from windrow.postgres import Database, Transaction, audit, load

MOST = 500
# of hints in one snapshot
_MOST_HINTS = 100
_LONGEST = 200
_ROLE = re.compile(r"[a-z][a-z0-9_-]{0,39}", re.ASCII)

Q = load(__package__, "speakers.sql")


class Kind(StrEnum):
    """What an entry is about."""

    REQUEST = "request"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class About:
    """The media that an entry is about: those of a request, or those of a channel."""

    kind: Kind
    id: str

    def __post_init__(self) -> None:
        if _checked(f"the {self.kind}", self.id) != self.id or any(char.isspace() for char in self.id):
            raise _refused(f"the {self.kind} {self.id!r}", "an id has no white space")

    def __str__(self) -> str:
        return f"{self.kind}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """One entry."""

    kind: str
    about: str
    name: str
    role: str
    updated_at: datetime


class Speakers:
    """The registry, as enrichment asks it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def resolve(self, scope: Scope, request_id: str, channel_id: str | None) -> tuple[SpeakerHint, ...]:
        """Who probably speaks. What is said of the request comes first, and stands for what is said of its channel."""
        async with self._database.tenant(scope.tenant_id) as tx:
            return await hints(tx, scope, request_id, channel_id)


async def hints(
    tx: Transaction, scope: Scope, request_id: str | None, channel_id: str | None
) -> tuple[SpeakerHint, ...]:
    """The same, in a transaction of the caller's."""
    rows = await tx.rows(Q.hints, project=scope.project_id, request=request_id, channel=channel_id, limit=_MOST_HINTS)
    first: dict[str, SpeakerHint] = {}
    for row in rows:
        first.setdefault(row["name"].casefold(), SpeakerHint(**row))
    return tuple(first.values())


async def listed(tx: Transaction, scope: Scope, about: About | None = None, *, limit: int = 100) -> list[Speaker]:
    """Entries by what they are about, then by name; of one request or channel, or of all."""
    return await tx.into(
        Speaker,
        Q.listed,
        project=scope.project_id,
        about_kind=about.kind if about else None,
        about_id=about.id if about else None,
        limit=max(1, min(limit, MOST)),
    )


async def add(
    tx: Transaction, scope: Scope, about: About, name: str, role: str, *, actor: Actor, reason: str | None = None
) -> bool:
    """Enter a speaker, or give one another role; False if the entry was there as it is."""
    name = _checked("the name", name)
    if not _ROLE.fullmatch(role):
        raise _refused(f"the role {role[:80]!r}", "a word such as host, guest or moderator: a-z, 0-9, '_' and '-'")
    where = {"project": scope.project_id, "kind": about.kind, "about": about.id, "name": name}
    before: str | None = await tx.value(Q.role_of, **where)
    if before == role:
        return False
    await tx.execute(Q.put, **where, role=role)
    await audit.record(
        tx,
        actor,
        "speaker.add",
        _subject(about),
        before=before,
        after=role,
        project_id=scope.project_id,
        reason=reason,
        details={"name": name, "role": role},
    )
    return True


async def remove(
    tx: Transaction, scope: Scope, about: About, name: str, *, actor: Actor, reason: str | None = None
) -> None:
    """Take a speaker out; refused if there is none of that name."""
    name = _checked("the name", name)
    role = await tx.value(Q.remove, project=scope.project_id, kind=about.kind, about=about.id, name=name)
    if role is None:
        raise ValidationFailure(
            f"no speaker {name!r} is entered for the {about.kind} {about.id}",
            code=Code.NOT_FOUND,
            hint=f"`windrow speakers list --{about.kind} {about.id}` shows who is",
        )
    await audit.record(
        tx,
        actor,
        "speaker.remove",
        _subject(about),
        before=role,
        project_id=scope.project_id,
        reason=reason,
        details={"name": name},
    )


def _subject(about: About) -> str:
    return f"speakers/{about}"


def _checked(what: str, text: str) -> str:
    """On one line, with something in it, and not endless."""
    text = text.strip()
    if not 0 < len(text) <= _LONGEST or not text.isprintable():
        raise _refused(f"{what} {text[:80]!r}", f"1 to {_LONGEST} printable characters")
    return text


def _refused(what: str, rule: str) -> ValidationFailure:
    return ValidationFailure(f"{what} is refused: {rule}", code=Code.INVALID_VALUE)
