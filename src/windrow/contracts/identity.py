"""Names that follow from what they name: the same thing always has the same id, on any machine, at any time."""

import hashlib
from typing import Any

import msgspec

from windrow.contracts.scope import Scope

# whatever the key order of its parts
canonical = msgspec.json.Encoder(order="sorted").encode

_HASH = 40
# not the hash of any content: a thing that is gone, whatever it was
TOMBSTONE_HASH = "0" * _HASH


class Identity:
    """Gives the items of one endpoint their ids."""

    def __init__(self, scope: Scope, endpoint_id: str) -> None:
        of = f"item:{scope.tenant_id}/{scope.project_id}/{endpoint_id}/"
        self._of = hashlib.blake2b(of.encode(), digest_size=16)

    def item_id(self, external_id: str) -> str:
        """Deterministic from tenant, project, endpoint and the source's own id."""
        named = self._of.copy()
        named.update(external_id.encode())
        # the shape of a UUID of version 8: one that its maker computes as he likes
        text = named.hexdigest()
        return f"{text[:8]}-{text[8:12]}-8{text[13:16]}-a{text[17:20]}-{text[20:]}"


def content_hash(content: bytes) -> str:
    """The hash of an item's canonical JSON."""
    return hashlib.sha256(content).hexdigest()[:_HASH]


def batch_id(endpoint_id: str, lane: str, cursor: Any, hashes: list[str]) -> str:
    """A label for people and logs: the same page from the same cursor gives the same. Never a key to deduplicate by."""
    named = hashlib.sha256(f"batch:{endpoint_id}/{lane}/".encode() + canonical(cursor))
    for one in hashes:
        named.update(one.encode())
    return named.hexdigest()[:32]
