"""Whose data it is, and who acts."""

import re
from dataclasses import dataclass

from windrow.contracts.errors import Code, ValidationFailure

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?", re.ASCII)


def checked_name(kind: str, name: str) -> str:
    """A tenant, project or endpoint name: 1 to 64 of a-z 0-9 . _ -, beginning and ending with a letter or digit."""
    if not _NAME.fullmatch(name):
        raise ValidationFailure(
            f"{kind} {name[:80]!r} is not a name",
            code=Code.INVALID,
            hint="use 1 to 64 of a-z, 0-9, '.', '_' and '-', beginning and ending with a letter or digit",
        )
    return name


@dataclass(frozen=True, slots=True)
class Scope:
    """A tenant and one of its projects: what every row, key and log line belongs to."""

    tenant_id: str
    project_id: str

    def __post_init__(self) -> None:
        checked_name("tenant", self.tenant_id)
        checked_name("project", self.project_id)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts and by which authority, as the audit trail will tell it."""

    name: str
    authority: str
