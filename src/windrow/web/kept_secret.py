"""A secret of this machine: made at the first start, kept in a file that only its owner reads."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from windrow.contracts.errors import Code, Fatal, classify
from windrow.telemetry import emit
from windrow.vault import Secret

_SHORTEST = 32


def kept_secret(path: Path) -> Secret:
    """The secret of a file; made, if there is none. Of two processes that make it at once, both get the same."""
    try:
        if not os.path.lexists(path):
            _make(path)
        return Secret(_read(path))
    except OSError as error:
        raise classify(error) from error


def read_secret(path: Path) -> Secret:
    """The secret of a file that another process has made."""
    try:
        return Secret(_read(path))
    except OSError as error:
        raise classify(error) from error


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(file, "wb") as opened:
            opened.write(f"{secrets.token_urlsafe(32)}\n".encode())
            opened.flush()
            os.fsync(opened.fileno())
        # a link is refused where something is: whoever was first has made it, whole
        with suppress(FileExistsError):
            os.link(aside, path)
            emit("secret.made", file=str(path))
    finally:
        aside.unlink(missing_ok=True)


def _read(path: Path) -> str:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(file, "rb") as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077:
            raise Fatal(
                f"{path} can be read by others than its owner, or is no file",
                code=Code.FORBIDDEN,
                hint=f"chmod 600 {path}, or remove it: a new one is made at the next start",
            )
        text = opened.read(4096).decode("ascii", "replace").strip()
    if len(text) < _SHORTEST:
        raise Fatal(
            f"{path} does not hold a token", code=Code.CORRUPTED, hint="remove it: a new one is made at the next start"
        )
    return text
