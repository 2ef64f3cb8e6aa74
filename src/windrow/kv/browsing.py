"""Looking for an entry: what there is below a prefix, by name and without values, a stretch at a time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow.contracts.scope import Scope
from windrow.kv.entry import Purpose
from windrow.kv.hands import HIDDEN
from windrow.postgres import Transaction, load

Q = load(__package__, "browsing.sql")

# entries of a folder are counted up to here, and so many folders are told
MOST_COUNTED, MOST_FOLDERS = 100, 60
# a value that is not larger than this is shown with its name
SMALL = 400
# above every character of a key
_ABOVE = "\x7f"


@dataclass(frozen=True, slots=True)
class Folder:
    """What keys begin with, up to a slash; how many entries are there, counted to a hundred."""

    name: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An entry in a list; `small` is its value where that is short, and not one of those that nobody is shown."""

    path: str
    version: int
    purpose: Purpose
    producer: str
    last_writer: str
    updated_at: datetime
    expires_at: datetime | None
    bytes: int
    small: Any


async def listed(tx: Transaction, scope: Scope, prefix: str = "", *, after: str = "", limit: int = 50) -> list[Listed]:
    """The entries of a project whose path begins with the prefix, in the order of paths, behind the last one seen."""
    root = _root(scope)
    rows = await tx.rows(
        Q.listed,
        begin=root + prefix,
        end=root + prefix + _ABOVE,
        after=root + after if after else "",
        hidden=[str(purpose) for purpose in HIDDEN],
        small=SMALL,
        limit=limit,
    )
    return [
        Listed(**{**row, "path": row["path"].removeprefix(root), "purpose": Purpose(row["purpose"])}) for row in rows
    ]


async def folders(tx: Transaction, scope: Scope, prefix: str = "") -> list[Folder]:
    """What is directly below a prefix that ends where a folder does; of very many, the first."""
    begin = _root(scope) + prefix
    rows = await tx.rows(
        Q.folders,
        begin=begin,
        end=begin + _ABOVE,
        above=_ABOVE,
        most=MOST_COUNTED,
        limit=MOST_FOLDERS,
        steps=3 * MOST_FOLDERS,
    )
    return [Folder(row["name"], row["entries"]) for row in rows if row["entries"]]


def _root(scope: Scope) -> str:
    return f"tenant/{scope.tenant_id}/project/{scope.project_id}/"
