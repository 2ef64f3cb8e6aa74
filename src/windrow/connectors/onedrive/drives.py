"""Which drives an endpoint means, and which folder of each."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from windrow.connectors.onedrive.config import OneDriveConfig
from windrow.connectors.onedrive.cursor import Spot
from windrow.connectors.onedrive.graph import Denied, Graph
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError

# a cursor holds a link for each, and has 64 KiB
MOST = 60


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive by its id and what people call it."""

    id: str
    name: str


async def drives(graph: Graph, config: OneDriveConfig) -> list[Drive]:
    """The drives as they are now, in the order of their ids."""
    found = await _libraries(graph, config) if config.site is not None else [await _one(graph, config)]
    if len(found) > MOST:
        raise ValidationFailure(
            f"the site has {len(found)} libraries; {MOST} are the most for one endpoint",
            code=Code.TOO_LARGE,
            hint="spread them over several endpoints, with `libraries`",
        )
    return sorted(found, key=lambda drive: drive.id)


async def spots(graph: Graph, config: OneDriveConfig, found: list[Drive]) -> tuple[Spot, ...]:
    """The drives to begin with. Of several, those that do not have the folder are left out."""
    if config.folder is None:
        return tuple(Spot(drive.id) for drive in found)
    there = [Spot(drive.id, folder) for drive in found if (folder := await _folder(graph, drive, config.folder))]
    if not there:
        raise ValidationFailure(
            f"there is no folder {config.folder!r}",
            code=Code.NOT_FOUND,
            hint="correct `folder`: it may have been renamed or moved; nothing was deleted from the catalog",
        )
    return tuple(there)


def unreadable(what: str, denied: Denied) -> WindrowError:
    """The error for something without which there is nothing to read."""
    message = f"{what} cannot be read: {denied}"
    if denied.status == 403:
        return Fatal(message, code=Code.FORBIDDEN, hint="grant the app Files.Read.All (for sites: Sites.Read.All)")
    if denied.status == 423:
        return RetryableTransient(message)
    return ValidationFailure(message, code=Code.NOT_FOUND, hint="check the configuration: it may have been deleted")


async def _one(graph: Graph, config: OneDriveConfig) -> Drive:
    if config.drive is not None:
        path = f"/drives/{quote(config.drive, safe='')}"
    else:
        path = f"/users/{quote(config.user, safe='')}/drive" if config.user is not None else "/me/drive"
    found = await graph.find(path, "drive")
    if isinstance(found, Denied):
        raise unreadable("the drive", found)
    return _drive(found)


async def _libraries(graph: Graph, config: OneDriveConfig) -> list[Drive]:
    assert config.site is not None
    site = await graph.find(f"/sites/{quote(config.site, safe=':/,')}", "site")
    if isinstance(site, Denied):
        raise unreadable("the site", site)
    listed = await graph.all(f"/sites/{quote(str(site.get('id')), safe=',')}/drives", "libraries")
    if isinstance(listed, Denied):
        raise unreadable("the list of the site's libraries", listed)
    found = [_drive(each) for each in listed]
    if lost := sorted(set(config.libraries) - {drive.name for drive in found}):
        raise ValidationFailure(
            f"the site has no library {', '.join(map(repr, lost))}",
            code=Code.NOT_FOUND,
            hint="it has " + ", ".join(sorted(repr(drive.name) for drive in found)[:20]),
        )
    wanted = [drive for drive in found if not config.libraries or drive.name in config.libraries]
    if not wanted:
        raise ValidationFailure("the site has no libraries", code=Code.NOT_FOUND, hint="check `site`")
    return wanted


async def _folder(graph: Graph, drive: Drive, path: str) -> str | None:
    found = await graph.find(f"/drives/{quote(drive.id, safe='')}/root:{quote(path)}", "folder")
    if isinstance(found, Denied):
        if found.status == 404:
            return None
        raise unreadable(f"the folder {path!r}", found)
    if not isinstance(found.get("folder"), dict) or not isinstance(found.get("id"), str):
        raise ValidationFailure(f"{path!r} is not a folder", code=Code.INVALID, hint="correct `folder`")
    return str(found["id"])


def _drive(said: Any) -> Drive:
    if not isinstance(said, dict) or not isinstance(said.get("id"), str):
        raise ValidationFailure("a drive has no id", code=Code.INVALID_VALUE, hint="check base_url")
    name = said.get("name")
    return Drive(said["id"], name if isinstance(name, str) else said["id"])
