"""A repository at one moment: the tip that is harvested, and where the branches and tags point.

The lists behind a tip can be made again for as long as its commit is there. Where the refs pointed cannot, so they are
part of the cursor; where there are too many for that, their hash is, and they are kept in our cache.
"""

import hashlib
from collections.abc import Mapping

from msgspec import Struct

from windrow.connectors.files.naming import escaped
from windrow.connectors.git.config import Entity
from windrow.connectors.git.entries import RefEntry
from windrow.connectors.git.shelf import Shelf
from windrow.contracts.identity import canonical

# cursors are written with every page, so they stay small
LARGEST_INLINE = 4096
_FOLDERS = {Entity.BRANCH: b"refs/heads/", Entity.TAG: b"refs/tags/"}

# name → SHA, sorted
Refs = dict[str, str]


class Snapshot(Struct, frozen=True, forbid_unknown_fields=True):
    """What a cursor says of a moment. `branch` is None for a HEAD that names a commit, `tip` where there is none yet."""

    tip: str | None
    branch: str | None
    # the refs themselves by kind, or the hash of them
    refs: dict[Entity, Refs] | str


def sorted_refs(found: Mapping[bytes, str]) -> dict[Entity, Refs]:
    """The refs by kind, under their short names."""
    kinds: dict[Entity, Refs] = {}
    for entity, folder in _FOLDERS.items():
        named = {escaped(name[len(folder) :]): sha for name, sha in found.items() if name.startswith(folder)}
        if named:
            kinds[entity] = dict(sorted(named.items()))
    return kinds


def packed(refs: dict[Entity, Refs], shelf: Shelf) -> dict[Entity, Refs] | str:
    """The refs as a cursor carries them."""
    text = canonical(refs)
    if len(text) <= LARGEST_INLINE:
        return refs
    digest = hashlib.sha256(text).hexdigest()
    if not shelf.holds(_name(digest)):
        shelf.write(
            _name(digest), (RefEntry(f"{kind}:{name}", sha) for kind in refs for name, sha in refs[kind].items())
        )
    return digest


def unpacked(refs: dict[Entity, Refs] | str, shelf: Shelf) -> dict[Entity, Refs] | None:
    """The refs of a cursor; None where our cache has lost them."""
    if not isinstance(refs, str):
        return refs
    if not _is_digest(refs) or not shelf.holds(_name(refs)):
        return None
    kinds: dict[Entity, Refs] = {}
    for entry in shelf.read(_name(refs), RefEntry):
        kind, _, name = entry.key.partition(":")
        kinds.setdefault(Entity(kind), {})[name] = entry.sha
    return kinds


def _name(digest: str) -> str:
    return f"refs-{digest}"


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")
