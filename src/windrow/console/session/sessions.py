"""Sessions: who is logged in, since when, until when.

In a table and not in a signed cookie: logging out ends a session for good, wherever its cookie was copied to, and a session
that nobody uses ends by itself, neither of which a signature can say.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from windrow.console.session.links import Guest, redeem
from windrow.console.session.tokens import Token
from windrow.contracts.scope import Actor, Scope
from windrow.postgres import Database, Transaction, audit, idempotency, load
from windrow.telemetry import emit
from windrow.web.pace import Pace, PaceLimits
from windrow.web.principal import Principal, Role

Q = load(__package__, "sessions.sql")

AUTHORITY = "session of the console"
BY_LINK = "login link"

PACE = PaceLimits(per_second=20, burst=200)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """How long a session lasts without anybody looking, and at the most; and how much it may ask for. That is more than anybody
    clicks: what is refused is written down, and what is tried costs a source its time."""

    idle: timedelta = timedelta(hours=8)
    longest: timedelta = timedelta(days=7)
    pace: PaceLimits = PACE


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is logged in. Its home is the tenant that let it in; where it looks may be another."""

    token: Token = field(repr=False)
    home: Scope
    at: Scope
    roles: tuple[Role, ...]
    subject: str
    anywhere: bool
    opened_at: datetime
    expires_at: datetime

    @property
    def principal(self) -> Principal:
        """The same that a bearer token would give: what pages may do, the API may."""
        away = self.at.tenant_id != self.home.tenant_id
        authority = f"{AUTHORITY}, of tenant {self.home.tenant_id}" if away else AUTHORITY
        return Principal(self.at, self.roles, self.subject, authority)


class Sessions:
    """Opened by a code, found by a cookie, ended by their owner or by time."""

    def __init__(self, database: Database, limits: SessionLimits | None = None) -> None:
        self._database, self._limits = database, limits or SessionLimits()
        self.pace = Pace(self._limits.pace, who="session")

    async def open(self, code: str) -> Session | None:
        """Let in whoever has the code, once; None if it is not good, or not any more."""
        offered = Token.parse(code)
        if offered is None:
            return None
        async with self._database.tenant(offered.tenant_id) as tx:
            guest = await redeem(tx, offered)
            return await self._opened(tx, guest, BY_LINK, self._limits.longest) if guest else None

    async def enter(
        self, guest: Guest, authority: str, *, ticket: str, longest: timedelta, known_as: str
    ) -> Session | None:
        """Let in whom somebody else vouches for, and knows under that name, once for each ticket; None if it was used."""
        found: list[Session] = []

        async def act() -> None:
            lasts = min(longest, self._limits.longest)
            found.append(await self._opened(tx, guest, authority, lasts, known_as=known_as))

        async with self._database.tenant(guest.scope.tenant_id) as tx:
            await idempotency.once(tx, ticket, None, act)
        return found[0] if found else None

    async def _opened(self, tx: Transaction, guest: Guest, authority: str, longest: timedelta, **more: str) -> Session:
        token = Token.new(guest.scope.tenant_id)
        row = await tx.row(Q.open, token_hash=token.hash, longest=longest, **_said(guest))
        assert row, "an insert answers"
        await audit.record(
            tx,
            Actor(guest.subject, authority),
            "session.open",
            f"people/{guest.subject}",
            project_id=guest.scope.project_id,
            details={"role": str(guest.role), **more},
        )
        tx.after_commit(lambda: emit("session.opened", subject=guest.subject))
        return _session(token, row)

    async def find(self, cookie: str, *, asked: bool = True) -> Session | None:
        """Whose cookie it is. `asked`: by a person, and not by a page that renews itself."""
        token = Token.parse(cookie)
        if token is None:
            return None
        async with self._database.tenant(token.tenant_id) as tx:
            row = await tx.row(Q.find, token_hash=token.hash, idle=self._limits.idle)
            if row and asked and row["stale"]:
                await tx.execute(Q.touch, token_hash=token.hash)
        return _session(token, row) if row else None

    async def end(self, session: Session) -> None:
        """Log out, for good."""
        async with self._database.tenant(session.home.tenant_id) as tx:
            if await tx.execute(Q.end, token_hash=session.token.hash):
                await audit.record(tx, session.principal.actor, "session.end", f"people/{session.subject}")
                tx.after_commit(lambda: emit("session.ended", subject=session.subject))

    async def look_at(self, session: Session, scope: Scope) -> None:
        """Go to another tenant's matters, or home again. Whether the session may is the caller's to have asked."""
        away = None if scope == session.home else scope
        async with self._database.tenant(session.home.tenant_id) as tx:
            await tx.execute(
                Q.look_at,
                token_hash=session.token.hash,
                tenant=away.tenant_id if away else None,
                project=away.project_id if away else None,
            )
            whose = f"tenants/{scope.tenant_id}/{scope.project_id}"
            await audit.record(tx, session.principal.actor, "session.look_at", whose)


def _said(guest: Guest) -> dict[str, object]:
    return {
        "project": guest.scope.project_id,
        "subject": guest.subject,
        "roles": [str(guest.role)],
        "anywhere": guest.anywhere,
    }


def _session(token: Token, row: dict[str, object]) -> Session:
    home = Scope(token.tenant_id, str(row["project_id"]))
    at = Scope(str(row["at_tenant"]), str(row["at_project"])) if row["at_tenant"] else home
    roles = row["roles"]
    opened_at, expires_at = row["opened_at"], row["expires_at"]
    assert isinstance(roles, list)
    assert isinstance(opened_at, datetime)
    assert isinstance(expires_at, datetime)
    return Session(
        token=token,
        home=home,
        at=at,
        roles=tuple(Role(role) for role in roles),
        subject=str(row["subject"]),
        anywhere=bool(row["anywhere"]),
        opened_at=opened_at,
        expires_at=expires_at,
    )
