"""Where people look at a repository: known from its address, where that is one of a forge that we know."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from windrow.connectors.git.config import Entity

# https://host/owner/name.git, git@host:owner/name.git, ssh://git@host/owner/name.git
_ADDRESS = re.compile(
    r"(?:https://|ssh://)?(?:[^@/\s]{1,256}@)?(?P<host>[a-z0-9.-]{1,253})[:/](?P<path>[A-Za-z0-9._/~-]{3,512}?)(?:\.git)?/?",
    re.ASCII,
)
_SHAPES: dict[str, dict[Entity, str]] = {
    "github.com": {
        Entity.FILE: "blob/{branch}/{name}",
        Entity.COMMIT: "commit/{name}",
        Entity.BRANCH: "tree/{name}",
        Entity.TAG: "tree/{name}",
    },
    "gitlab.com": {
        Entity.FILE: "-/blob/{branch}/{name}",
        Entity.COMMIT: "-/commit/{name}",
        Entity.BRANCH: "-/tree/{name}",
        Entity.TAG: "-/tags/{name}",
    },
    "bitbucket.org": {
        Entity.FILE: "src/{branch}/{name}",
        Entity.COMMIT: "commits/{name}",
        Entity.BRANCH: "branch/{name}",
        Entity.TAG: "src/{name}",
    },
    "codeberg.org": {
        Entity.FILE: "src/branch/{branch}/{name}",
        Entity.COMMIT: "commit/{name}",
        Entity.BRANCH: "src/branch/{name}",
        Entity.TAG: "src/tag/{name}",
    },
}
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Forge:
    """The pages of one repository."""

    base: str
    shapes: dict[Entity, str]

    def url(self, entity: Entity, name: bytes, branch: str | None) -> str | None:
        """The page of a thing; None where there is none. The page of a file needs a branch."""
        shape = self.shapes.get(entity)
        if shape is None or (entity is Entity.FILE and branch is None):
            return None
        page = shape.format(name=quote(name), branch=quote(branch or "", errors="surrogateescape"))
        url = f"{self.base}/{page}"
        return url if len(url) <= _LONGEST else None


def forge(address: str | None) -> Forge | None:
    """The forge of a repository's address; None where it is not one that we know."""
    found = _ADDRESS.fullmatch(address) if address else None
    if found is None or found["host"] not in _SHAPES or found["path"].count("/") < 1 or ".." in found["path"]:
        return None
    return Forge(f"https://{found['host']}/{found['path'].strip('/')}", _SHAPES[found["host"]])
