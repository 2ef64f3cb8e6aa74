"""Who somebody is to us, by what the issuer says of them: a place, roles, a name. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.web.oidc.claims import LONGEST_SUBJECT, Claims
from windrow.web.oidc.flaws import Flaw, TokenRefused
from windrow.web.principal import Role

ROLES: Mapping[str, Role] = {str(role): role for role in Role}


@dataclass(frozen=True, slots=True)
class Reading:
    """Under which names the claims stand: `realm_access.roles` is `roles` within `realm_access`.

    `in_tenant` and `in_project` are for issuers that say neither: then everybody they vouch for belongs there. `roles_by_name`
    tells what the issuer calls our roles, `operators` what it calls those who may look at every tenant.
    """

    tenant: str = "tenant_id"
    project: str = "project_id"
    roles: str = "roles"
    subject: str | None = None
    in_tenant: str | None = None
    in_project: str | None = None
    roles_by_name: Mapping[str, Role] = field(default_factory=lambda: ROLES)
    operators: str | None = None

    def lacks(self, said: Mapping[str, Any]) -> bool:
        """Whether something of it is not said: then there may be somebody else to ask."""
        names = (
            None if self.in_tenant else self.tenant,
            None if self.in_project else self.project,
            self.roles,
            self.subject,
        )
        return any(claim(said, name) is None for name in names if name)


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody whom the issuer vouches for. `subject` is the name for people, `issued` the one that never changes hands."""

    scope: Scope
    roles: tuple[Role, ...]
    operator: bool
    subject: str
    issued: str


def identified(claims: Claims, reading: Reading) -> Identity:
    """Who it is; refused where the claims do not say for which tenant and project. Roles that we do not know are none."""
    said = claims.said
    held = _words(claim(said, reading.roles))
    return Identity(
        scope=_scope(
            reading.in_tenant or claim(said, reading.tenant), reading.in_project or claim(said, reading.project)
        ),
        roles=tuple(role for name, role in reading.roles_by_name.items() if name in held),
        operator=reading.operators is not None and reading.operators in held,
        subject=_subject(claims, reading),
        issued=claims.subject,
    )


def claim(said: Mapping[str, Any], name: str) -> Any:
    """What stands under a name, or within what stands under its beginning. A dot may also be part of a name: some issuers'
    names are addresses."""
    if name in said:
        return said[name]
    for dot in (place for place, letter in enumerate(name) if letter == "."):
        within = said.get(name[:dot])
        if isinstance(within, Mapping) and (found := claim(within, name[dot + 1 :])) is not None:
            return found
    return None


def _scope(tenant: Any, project: Any) -> Scope:
    if not isinstance(tenant, str) or not isinstance(project, str):
        raise TokenRefused(Flaw.SCOPE)
    try:
        return Scope(tenant, project)
    except ValidationFailure:
        # the words would repeat what the token says
        raise TokenRefused(Flaw.SCOPE) from None


def _words(value: Any) -> frozenset[str]:
    """A list of words, or words between spaces as in OAuth's `scope`."""
    listed = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(one for one in listed if isinstance(one, str))


def _subject(claims: Claims, reading: Reading) -> str:
    """The claim that was asked for, else a verified e-mail, else the issuer's own id: whatever can stand in one line."""
    asked = claim(claims.said, reading.subject) if reading.subject else claims.email
    if not isinstance(asked, str) or len(asked) > LONGEST_SUBJECT or not asked.isprintable():
        return claims.subject
    return asked.strip() or claims.subject
