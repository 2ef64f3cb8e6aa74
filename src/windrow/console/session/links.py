"""Links that let somebody in, once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from windrow.console.session.tokens import Token
from windrow.contracts.scope import Actor, Scope
from windrow.postgres import Database, Transaction, audit, load
from windrow.web.principal import Role

Q = load(__package__, "links.sql")

PATH = "/login"
LIFETIME = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Guest:
    """Who is let in by a link: where, as what, under which name. `anywhere`: also to other tenants."""

    scope: Scope
    role: Role
    subject: str
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Invited:
    """The way in, for the one who is to use it and nobody else."""

    link: str
    expires_at: datetime


async def invite(database: Database, url: str, guest: Guest, by: Actor, *, lifetime: timedelta = LIFETIME) -> Invited:
    """A link that works once, and not for long. What it is made from is kept nowhere."""
    token = Token.new(guest.scope.tenant_id)
    async with database.tenant(guest.scope.tenant_id) as tx:
        expires_at: datetime = await tx.value(
            Q.invite,
            code_hash=token.hash,
            project=guest.scope.project_id,
            subject=guest.subject,
            roles=[str(guest.role)],
            anywhere=guest.anywhere,
            issued_by=by.name,
            lifetime=lifetime,
        )
        await audit.record(
            tx,
            by,
            "session.invite",
            f"people/{guest.subject}",
            project_id=guest.scope.project_id,
            details={"role": str(guest.role)},
        )
    return Invited(f"{url}{PATH}?{urlencode({'code': token.text})}", expires_at)


async def redeem(tx: Transaction, token: Token) -> Guest | None:
    """Who is let in by the code, which is gone from here on; None if there is no such code any more."""
    row = await tx.row(Q.redeem, code_hash=token.hash)
    if row is None:
        return None
    scope = Scope(token.tenant_id, row["project_id"])
    return Guest(scope, Role(row["roles"][0]), row["subject"], row["anywhere"])
