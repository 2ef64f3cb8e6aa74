"""The bare repository in our cache through which git looks at a local one."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from windrow.connectors.git.local import Located
from windrow.contracts.errors import Code, ValidationFailure

_LINKED = ("objects", "refs", "packed-refs", "shallow")
_LARGEST_HEAD = 4096


def config(*, object_format: str = "sha1", reftable: bool = False) -> str:
    """The configuration of a repository of ours: nothing that is not needed to read it."""
    extensions = f"\tobjectFormat = {object_format}\n" if object_format != "sha1" else ""
    extensions += "\trefStorage = reftable\n" if reftable else ""
    version = 1 if extensions else 0
    core = f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n\tlogAllRefUpdates = false\n"
    return core + (f"[extensions]\n{extensions}" if extensions else "")


def raise_view(place: Path, located: Located, *, object_format: str) -> Path:
    """Make the view, or bring it up to date. Several may do so at once."""
    place.mkdir(parents=True, exist_ok=True)
    for name in _LINKED:
        _link(place / name, located.common / name)
    # the newer way to keep refs, which has a directory of its own
    reftable = (located.common / "reftable").is_dir()
    if reftable:
        _link(place / "reftable", located.common / "reftable")
    _write(place / "config", config(object_format=object_format, reftable=reftable))
    _write(place / "HEAD", _head(located.head / "HEAD"))
    return place


def _head(head: Path) -> str:
    """What HEAD says. Ancient ones are a link to the ref."""
    if head.is_symlink() and (target := str(head.readlink())).startswith("refs/"):
        return f"ref: {target}\n"
    if not head.is_file():
        raise ValidationFailure(
            f"there is no git repository at {str(head.parent)!r}", code=Code.NOT_FOUND, hint="its HEAD is not a file"
        )
    with head.open("rb") as opened:
        return os.fsdecode(opened.read(_LARGEST_HEAD))


def _link(name: Path, target: Path) -> None:
    if name.is_symlink() and name.readlink() == target:
        return
    fresh = name.with_name(f"{name.name}.{secrets.token_hex(8)}")
    fresh.symlink_to(target)
    fresh.replace(name)


def _write(file: Path, text: str) -> None:
    raw = os.fsencode(text)
    with suppress(FileNotFoundError):
        if file.read_bytes() == raw:
            return
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    fresh.write_bytes(raw)
    fresh.replace(file)
