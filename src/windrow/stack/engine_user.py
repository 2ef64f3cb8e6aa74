"""Whom the engines run as. PostgreSQL refuses to run as root, so root starts both engines as a user of their own."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass

from windrow.contracts.errors import Code, Fatal
from windrow.telemetry import emit


@dataclass(frozen=True, slots=True)
class EngineUser:
    """An account that owns the engines' data and processes."""

    name: str
    uid: int
    gid: int


def engine_user(name: str) -> EngineUser | None:
    """None for an ordinary user: the engines run as whoever starts them. For root, the named account, made if missing."""
    if os.geteuid() != 0:
        return None
    user = _known(name) or _made(name) or _nobody(name)
    if user.uid == 0:
        raise Fatal(
            f"the engines cannot run as {name}: PostgreSQL refuses to run as root",
            code=Code.CONFIGURATION,
            hint="name an ordinary account",
        )
    return user


def owner_of(uid: int, gid: int) -> EngineUser:
    """The account that owns data which is already there, whether or not it has a name."""
    try:
        return EngineUser(pwd.getpwuid(uid).pw_name, uid, gid)
    except KeyError:
        return EngineUser(f"user {uid}", uid, gid)


def _known(name: str) -> EngineUser | None:
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return None
    return EngineUser(found.pw_name, found.pw_uid, found.pw_gid)


def _made(name: str) -> EngineUser | None:
    # the search path of a bare `su` lacks the directory of the system's tools
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd is None:
        return None
    command = [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    subprocess.run([*command, "--shell", "/usr/sbin/nologin", name], capture_output=True, check=False)  # noqa: S603
    # asked anew rather than trusting the exit code: another process may have made the account at the same moment
    if user := _known(name):
        emit("engine_user.created", user=name)
        return user
    return None


def _nobody(wanted: str) -> EngineUser:
    if user := _known("nobody"):
        emit("engine_user.missing", user=wanted, using=user.name)
        return user
    raise Fatal(
        f"there is no account {wanted} for the engines, and none could be made",
        code=Code.CONFIGURATION,
        hint=f"create it with `useradd --system {wanted}`, or run as an ordinary user",
    )
