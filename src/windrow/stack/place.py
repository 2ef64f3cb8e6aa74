"""Where the engines' data is: in the home, unless the engines run as a user who cannot get there.

No directory that exists is ever opened up for them. What they cannot reach is put, for them alone, below a system
directory, and a pointer in the home says where.
"""

import hashlib
import os
import secrets
import shutil
from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.stack.disk import told_plainly, write_private
from windrow.stack.engine_user import EngineUser, owner_of
from windrow.stack.process import run
from windrow.telemetry import emit

POINTER = "engines.directory"
ENGINES = ("postgres", "temporal")


def make_home(home: Path) -> Path:
    """The home, made if it is missing; never changed if it is there."""
    with told_plainly(home):
        if home.exists() and not home.is_dir():
            raise NotADirectoryError(20, "it is not a directory", str(home))
        if not home.exists():
            home.mkdir(parents=True, exist_ok=True)
            # made by root for engines that run as somebody else: they pass through it, but cannot look around
            home.chmod(0o711 if os.geteuid() == 0 else 0o700)
        return home.resolve()


def data_owner(directory: Path, user: EngineUser | None) -> EngineUser | None:
    """As root, data that is there already stays with its owner, and its engine runs as that owner."""
    with told_plainly(directory):
        if user is None or not directory.exists():
            return user
        found = directory.stat()
        return owner_of(found.st_uid, found.st_gid) if found.st_uid else user


def own_directory(directory: Path, user: EngineUser | None) -> Path:
    """An engine's directory: its own, closed to everyone else."""
    with told_plainly(directory):
        directory.mkdir(mode=0o700, exist_ok=True)
        if user is not None and directory.stat().st_uid == 0:
            os.chown(directory, user.uid, user.gid)
    return directory


async def engines_directory(home: Path, user: EngineUser | None, system: Path) -> Path:
    """The directory below which the engines keep their data."""
    if user is None:
        return home
    with told_plainly(home):
        if (home / POINTER).exists():
            return _pointed_at(home)
        if await reaches(user, home):
            return home
        if settled := [home / name for name in ENGINES if (home / name).exists()]:
            raise _cut_off(user, settled[0])
        place = _elsewhere(home, system)
        if not await reaches(user, place):
            raise _cut_off(user, place)
    emit("engine_data.placed", home=str(home), directory=str(place), user=user.name)
    return place


async def reaches(user: EngineUser | None, *paths: Path) -> bool:
    """Whether the user can walk to all of these: asked of the system itself, as that user."""
    test = shutil.which("test", path=os.defpath) or "/usr/bin/test"
    asked = [part for path in paths for part in ("-a", "-x" if path.is_dir() else "-r", str(path))]
    return (await run([test, *asked[1:]], user=user)).code == 0


def passable(directory: Path) -> None:
    """A directory of ours through which the engines may walk; one that exists stays as it is."""
    if not directory.exists():
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o711)


def _pointed_at(home: Path) -> Path:
    place = _named_in(home / POINTER)
    if not place.is_dir():
        raise Fatal(
            f"the engines' data of {home} was kept in {place}, which is gone",
            code=Code.CORRUPTED,
            hint=f"put it back, or remove {home / POINTER} to begin with nothing",
        )
    _check_owner(place, home)
    return place


def _check_owner(place: Path, home: Path) -> None:
    """A home may be moved, but a copy of it must not run on the data of the first."""
    first = _named_in(place / "home")
    if first == home:
        return
    if (first / POINTER).exists() and _named_in(first / POINTER) == place:
        raise Fatal(
            f"the engines' data in {place} belongs to {first}, of which {home} is a copy",
            code=Code.CONFIGURATION,
            hint=f"use {first}, or remove {home / POINTER} to begin with nothing",
        )
    write_private(place / "home", f"{home}\n")


def _named_in(file: Path) -> Path:
    return Path(os.fsdecode(file.read_bytes().removesuffix(b"\n")))


def _elsewhere(home: Path, system: Path) -> Path:
    # a new name each time: a home that was deleted and made anew begins with no data
    place = system / f"{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}-{secrets.token_hex(4)}"
    passable(system)
    passable(place)
    write_private(place / "home", f"{home}\n")
    write_private(home / POINTER, f"{place}\n")
    return place


def _cut_off(user: EngineUser, path: Path) -> Fatal:
    return Fatal(
        f"the user {user.name}, whom the engines run as, cannot reach {path}",
        code=Code.FORBIDDEN,
        hint=f"let {user.name} pass through the directories above it (chmod o+x), or run as an ordinary user",
    )
