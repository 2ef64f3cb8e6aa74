"""A team's site through a season: people work in three libraries, and the service has its troubles."""

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.fakes.onedrive.drive import Drive, Node
from tests.fakes.onedrive.service import OneDrive, Trouble
from tests.fakes.vendor import Vendor

OBJECTS = 5000
_CODES = ("resyncRequired", "ResyncRequired", "syncStateNotFound", "resyncChangesApplyDifferences")
_LIMITED = (
    Trouble(429, "activityLimitReached", {"retry-after": "3"}),
    Trouble(503, "serviceNotAvailable", {"retry-after": "1"}),
)
# a folder with more in it is not deleted: a season has other things to show than that too much at once is held back
_MOST_INSIDE = 30


@dataclass
class Team(OneDrive):
    """The site as the source of a season."""

    connector: str = "onedrive"
    credential: str | None = field(init=False)
    size: int = OBJECTS
    # so many of them are shared
    shared: int = 30

    def __post_init__(self) -> None:
        self.credential = self.login.secret
        drawn = random.Random(5)
        for number in range(3):
            drive = self.add(f"Library {number}", f"b!library-{number}")
            homes = [drive.root]
            for place in range(self.size // 3):
                if place % 12 == 0:
                    homes.append(drive.make(f"folder {place}", drawn.choice(homes)).id)
                else:
                    drive.put(f"file {place}.txt", drawn.choice(homes), size=place)
            for key in drawn.sample(sorted(drive.nodes), self.shared // 3):
                drive.share(key, ["ada"])

    @property
    def vendor(self) -> Vendor:
        return self

    @property
    def config(self) -> dict[str, Any]:
        return {**self.settings, "site": "acme.example:/sites/team", "permissions": True}

    def change(self, drawn: random.Random) -> None:
        with self.lock:
            drive = self.drives[f"b!library-{drawn.randrange(3)}"]
            _WORK[drawn.randrange(len(_WORK))](drive, drawn)

    def trouble(self, drawn: random.Random) -> None:
        with self.lock:
            match drawn.randrange(5):
                case 0:
                    self.troubles.append(drawn.choice(_LIMITED))
                case 1:
                    self.troubles += [Trouble(drawn.choice((500, 502, 504)), "generalException")] * drawn.randint(1, 4)
                case 2:
                    self.resync, self.location = drawn.choice(_CODES), f"{self.base_url}/elsewhere"
                    self.drives[f"b!library-{drawn.randrange(3)}"].life += 1
                case 3:
                    self.login.revoke_access()
                case 4:
                    self.troubles.append(Trouble(502, "", body="<html>Bad gateway</html>"))

    def calm(self) -> None:
        with self.lock:
            self.troubles.clear()

    def truth(self) -> dict[str, dict[str, Any]]:
        with self.lock:
            return {
                f"{drive.id}/{node.id}": _true(drive, node)
                for drive in self.drives.values()
                for node in drive.nodes.values()
            }


def _true(drive: Drive, node: Node) -> dict[str, Any]:
    said: dict[str, Any] = {
        "drive": drive.id,
        "modified_by": "Grace",
        "client_created": node.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "client_modified": node.modified.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    if not node.folder:
        said |= {"size": node.size, "mime_type": "text/plain", "hashes": {"quickXorHash": f"xor-{node.size}"}}
    if node.shared:
        people = [{"roles": ["write"], "to": [f"{who}@example.org"]} for who in sorted(node.shared)]
        said |= {"shared": "users", "permissions": people}
    return {
        "entity_type": "folder" if node.folder else "file",
        "display_name": node.name,
        "canonical_path": drive.path(node.id),
        "source_version": node.etag,
        "source_updated_at": node.modified,
        "labels": ["shared"] if node.shared else [],
        "attributes": said,
    }


def _files(drive: Drive) -> list[str]:
    return [key for key, node in drive.nodes.items() if not node.folder]


def _folders(drive: Drive) -> list[str]:
    return [key for key, node in drive.nodes.items() if node.folder and node.parent is not None]


def _home(drive: Drive, drawn: random.Random) -> str:
    return drawn.choice([*_folders(drive), drive.root])


def _write(drive: Drive, drawn: random.Random) -> None:
    drive.put(f"new {drive.clock}.txt", _home(drive, drawn), size=drawn.randrange(1000))


def _copy(drive: Drive, drawn: random.Random) -> None:
    drive.put(f"copy {drive.clock}.txt", _home(drive, drawn), modified=datetime(2003, 4, 5, tzinfo=UTC))


def _edit(drive: Drive, drawn: random.Random) -> None:
    drive.edit(drawn.choice(_files(drive)), size=drawn.randrange(1000))


def _rename(drive: Drive, drawn: random.Random) -> None:
    drive.rename(drawn.choice(_files(drive)), f"renamed {drive.clock}.txt")


def _move(drive: Drive, drawn: random.Random) -> None:
    drive.move(drawn.choice(_files(drive)), _home(drive, drawn))


def _delete(drive: Drive, drawn: random.Random) -> None:
    drive.delete(drawn.choice(_files(drive)), told=drawn.random() < 0.8)


def _share(drive: Drive, drawn: random.Random) -> None:
    drive.share(drawn.choice(_files(drive)), drawn.choice([["ada"], ["ada", "grace"], []]))


def _make_folder(drive: Drive, drawn: random.Random) -> None:
    made = drive.make(f"made {drive.clock}", _home(drive, drawn))
    drive.put(f"inside {drive.clock}.txt", made.id)


def _rename_folder(drive: Drive, drawn: random.Random) -> None:
    drive.rename(drawn.choice(_folders(drive)), f"called {drive.clock}")


def _move_folder(drive: Drive, drawn: random.Random) -> None:
    moved = drawn.choice(_folders(drive))
    inside = {node.id for node in drive.below(moved)} | {moved}
    drive.move(moved, drawn.choice([key for key in (*_folders(drive), drive.root) if key not in inside]))


def _delete_folder(drive: Drive, drawn: random.Random) -> None:
    found = drawn.choice(_folders(drive))
    if len(drive.below(found)) <= _MOST_INSIDE:
        drive.delete(found, inside_told=drawn.random() < 0.5)


# what happens often stands here often
_WORK = (
    *[_write, _edit, _rename, _move, _delete] * 3,
    _copy,
    _share,
    _make_folder,
    _rename_folder,
    _move_folder,
    _delete_folder,
)
