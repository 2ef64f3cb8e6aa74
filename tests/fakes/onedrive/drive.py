"""A drive: things in folders, and the delta of what has happened to them.

As the vendor documents it: a delta without a token enumerates what is there, page by page, while people go on; with one it
tells the latest state of what has changed, ancestors included, never a path, and nothing of what is inside of a folder
that was renamed. A deleted thing has the `deleted` facet, and in a business drive no name.
"""

import base64
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

BEGAN = datetime(2026, 1, 5, 8, tzinfo=UTC)


class Forgotten(Exception):
    """A token that this drive does not know any more."""


class NoSuchToken(Exception):
    """What is no token at all."""


@dataclass
class Node:
    """A file or a folder."""

    id: str
    name: str
    parent: str | None
    folder: bool
    born: int
    changed: int
    created: datetime
    modified: datetime
    size: int = 0
    version: int = 1
    # with whom it is shared, by itself; None: as its folder is
    shared: list[str] | None = None
    shared_changed: int = 0

    @property
    def etag(self) -> str:
        return f'"{{{self.id}}},{self.version}"'


@dataclass
class Fallen:
    """What is left of a thing that was deleted."""

    id: str
    name: str
    parent: str | None
    folder: bool
    changed: int


@dataclass
class Drive:
    """One drive. Whoever calls holds the service's lock."""

    id: str
    name: str
    kind: str = "documentLibrary"
    nodes: dict[str, Node] = field(default_factory=dict)
    fallen: dict[str, Fallen] = field(default_factory=dict)
    # whether the folders above come with what has changed; they need not
    families: bool = True
    # raw items that the next page tells first: what was true once, again
    echoes: list[dict[str, Any]] = field(default_factory=list)
    # tokens of an earlier life are not known
    life: int = 1
    clock: int = 0
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.root = self._add("root", None, folder=True).id

    # what people do

    def put(self, name: str, parent: str | None = None, *, size: int = 100, modified: datetime | None = None) -> Node:
        """A new file; one that was copied brings its old time of change."""
        made = self._add(name, parent or self.root, folder=False)
        made.size = size
        if modified:
            made.modified = modified
        return made

    def make(self, name: str, parent: str | None = None) -> Node:
        """A new folder."""
        return self._add(name, parent or self.root, folder=True)

    def edit(self, key: str, *, size: int) -> None:
        node = self.nodes[key]
        node.size, node.modified = size, self._now()
        self._touch(node)

    def rename(self, key: str, name: str) -> None:
        self.nodes[key].name = name
        self._touch(self.nodes[key])

    def move(self, key: str, parent: str) -> None:
        self.nodes[key].parent = parent
        self._touch(self.nodes[key])

    def share(self, key: str, people: list[str] | None) -> None:
        """With these people; with nobody; or, by None, as its folder is."""
        node = self.nodes[key]
        node.shared, node.shared_changed = people, self._tick()

    def delete(self, key: str, *, told: bool = True, inside_told: bool = True) -> None:
        """A thing with all that is inside; one may hear nothing of it, or only of the thing itself."""
        for each in [*self.below(key), self.nodes[key]]:
            del self.nodes[each.id]
            if told and (inside_told or each.id == key):
                self.fallen[each.id] = Fallen(each.id, each.name, each.parent, each.folder, self._tick())

    def below(self, key: str) -> list[Node]:
        """All that is inside, deepest first."""
        inside = [node for node in self.nodes.values() if node.parent == key]
        return [found for node in inside for found in (*self.below(node.id), node)]

    def path(self, key: str) -> str:
        node = self.nodes[key]
        if node.parent is None:
            return "/"
        return f"{self.path(node.parent).rstrip('/')}/{node.name}"

    # what the API tells

    def delta(self, token: str | None, top: int, prefer: str) -> tuple[list[dict[str, Any]], str, bool]:
        """A page, the token behind it, and whether that is the one for the next time."""
        how = self._read(token) if token else {"from": 0, "since": self.clock, "top": top}
        found, after, ended = self._enumerated(how) if "from" in how else self._changed(how, prefer)
        echoes, self.echoes = self.echoes, []
        told = [self.raw(self.nodes[key], prefer) if key in self.nodes else self.raw_fallen(key) for key in found]
        return [*echoes, *told], self._written(after), ended

    def latest(self, top: int) -> str:
        """The token for what comes from now on."""
        return self._written({"after": self.clock, "top": top})

    def raw(self, node: Node, prefer: str = "", *, delta: bool = True) -> dict[str, Any]:
        """A thing as JSON."""
        parent: dict[str, Any] = {"driveId": self.id, "driveType": self.kind}
        if node.parent is not None:
            parent["id"] = node.parent
            if not delta:
                parent["path"] = f"/drives/{self.id}/root:{self.path(node.parent).rstrip('/')}"
        said: dict[str, Any] = {
            "id": node.id,
            "name": node.name,
            "eTag": node.etag,
            "createdDateTime": _written_time(node.created),
            "lastModifiedDateTime": _written_time(node.modified),
            "createdBy": {"user": {"email": "ada@example.org", "id": "u1", "displayName": "Ada"}},
            "lastModifiedBy": {"user": {"displayName": "Grace", "id": "u2"}},
            "webUrl": f"https://acme.example/{self.name}/{node.id}",
            "parentReference": parent,
            "fileSystemInfo": {
                "createdDateTime": _written_time(node.created),
                "lastModifiedDateTime": _written_time(node.modified),
            },
        }
        if node.parent is None:
            said["root"] = {}
        if node.folder:
            children = sum(other.parent == node.id for other in self.nodes.values())
            said |= {"folder": {"childCount": children}, "size": self._weight(node)}
        else:
            said |= {
                "size": node.size,
                "file": {"mimeType": "text/plain", "hashes": {"quickXorHash": f"xor-{node.size}"}},
                # works without signing in, for an hour
                "@microsoft.graph.downloadUrl": f"https://acme.example/get?tempauth=canary-{node.id}",
            }
        if self.kind == "personal" or not delta:
            said["cTag"] = f'"c:{{{node.id}}},{node.version}"'
        if (shared := self._sharing(node, prefer)) is not None:
            said["shared"] = {"scope": "users"} if shared else {}
        return said

    def raw_fallen(self, key: str) -> dict[str, Any]:
        fallen = self.fallen[key]
        said: dict[str, Any] = {
            "id": key,
            "deleted": {"state": "deleted"},
            "parentReference": {"driveId": self.id, "driveType": self.kind, "id": fallen.parent},
        }
        if self.kind == "personal":
            said["name"] = fallen.name
        if fallen.folder:
            said["folder"] = {}
        return said

    def permissions(self, node: Node) -> list[dict[str, Any]]:
        """What the item has of itself, and what it has of its folder."""
        own = [_granted(node.id, who) for who in node.shared or ()]
        above = node.parent
        while above is not None:
            ancestor = self.nodes[above]
            reference = {"driveId": self.id, "id": ancestor.id}
            own += [_granted(ancestor.id, who) | {"inheritedFrom": reference} for who in ancestor.shared or ()]
            above = ancestor.parent
        return own

    def _enumerated(self, how: dict[str, int]) -> tuple[list[str], dict[str, int], bool]:
        left = sorted((node.born, node.id) for node in self.nodes.values() if node.born > how["from"])
        page = left[: how["top"]]
        if len(left) > len(page):
            return [key for _, key in page], {**how, "from": page[-1][0]}, False
        return [key for _, key in page], {"after": how["since"], "top": how["top"]}, True

    def _changed(self, how: dict[str, int], prefer: str) -> tuple[list[str], dict[str, int], bool]:
        news = sorted(
            [(when, node.id) for node in self.nodes.values() if (when := self._when(node, prefer)) > how["after"]]
            + [(fallen.changed, fallen.id) for fallen in self.fallen.values() if fallen.changed > how["after"]]
        )
        page: dict[str, None] = {}
        after = how["after"]
        for when, key in news:
            family = dict.fromkeys([*self._ancestors(key), key])
            if page and len(page | family) > how["top"]:
                return list(page), {**how, "after": after}, False
            # the last mention is the one that counts
            for each in family:
                page.pop(each, None)
            page |= family
            after = when
        return list(page), {**how, "after": max(after, self.clock)}, True

    def _when(self, node: Node, prefer: str) -> int:
        return max(node.changed, node.shared_changed if "deltashowsharingchanges" in prefer else 0)

    def _ancestors(self, key: str) -> list[str]:
        node = self.nodes.get(key) if self.families else None
        if node is None or node.parent is None:
            return []
        return [*self._ancestors(node.parent), node.parent]

    def _sharing(self, node: Node, prefer: str) -> bool | None:
        """Whether it is shared; None where nothing is said of it."""
        if node.shared is not None or "hierarchicalsharing" in prefer:
            return bool(node.shared) if node.shared is not None else None
        return True if node.parent is not None and self._sharing(self.nodes[node.parent], "") else None

    def _weight(self, node: Node) -> int:
        return self.clock * 1000 + node.born if self.kind == "personal" else 0

    def _add(self, name: str, parent: str | None, *, folder: bool) -> Node:
        number = next(self._numbers)
        when, key = self._tick(), f"01{self.id[-3:].upper()}{number:06d}"
        now = self._now()
        node = Node(key, name, parent, folder, born=number, changed=when, created=now, modified=now)
        self.nodes[key] = node
        return node

    def _touch(self, node: Node) -> None:
        node.version += 1
        node.changed = self._tick()

    def _tick(self) -> int:
        self.clock += 1
        return self.clock

    def _now(self) -> datetime:
        return BEGAN + timedelta(seconds=self.clock)

    def _written(self, how: dict[str, int]) -> str:
        text = json.dumps({**how, "life": self.life}, sort_keys=True).encode()
        return base64.urlsafe_b64encode(text).decode().rstrip("=")

    def _read(self, token: str) -> dict[str, int]:
        try:
            how: dict[str, int] = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        except ValueError:
            raise NoSuchToken from None
        if how.pop("life") != self.life:
            raise Forgotten
        return how


def _granted(key: str, who: str) -> dict[str, Any]:
    if who == "anyone":
        address = f"https://acme.example/:t:/s/canary-{key}"
        return {
            "id": f"{key}-link",
            "roles": ["read"],
            "link": {"type": "view", "scope": "anonymous", "webUrl": address},
        }
    user = {"id": who, "displayName": who.title(), "email": f"{who}@example.org"}
    return {"id": f"{key}-{who}", "roles": ["write"], "grantedToV2": {"user": user}, "grantedTo": {"user": user}}


def _written_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
