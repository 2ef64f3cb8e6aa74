"""Copies of the engines' programs, for a user who cannot reach the virtual environment: it lies below a closed directory."""

import hashlib
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.stack.disk import told_plainly
from windrow.stack.engine_user import EngineUser
from windrow.stack.place import passable, reaches
from windrow.telemetry import emit


async def reachable_install(install: Path, user: EngineUser | None, system: Path) -> Path:
    """The PostgreSQL tree, where the user can reach it."""
    if user is None or await reaches(user, *_needed(install)):
        return install
    with told_plainly(system):
        copy = system / "engines" / _name(install / "bin" / "postgres")
        if not copy.exists():
            _put(copy, lambda aside: shutil.copytree(install, aside, symlinks=True), user)
    return await _checked(copy, _needed(copy), user)


async def reachable_program(program: Path, user: EngineUser | None, system: Path) -> Path:
    """A program of one file, where the user can reach it: Temporal also reads itself."""
    if user is None or await reaches(user, program):
        return program
    with told_plainly(system):
        copy = system / "engines" / _name(program)
        if not copy.exists():
            _put(copy, lambda aside: _copy_file(program, aside), user)
    return await _checked(copy / program.name, (copy / program.name,), user)


def _needed(install: Path) -> tuple[Path, ...]:
    return install / "bin" / "postgres", install / "share" / "postgresql" / "postgres.bki"


async def _checked(copy: Path, needed: tuple[Path, ...], user: EngineUser) -> Path:
    if not await reaches(user, *needed):
        raise Fatal(
            f"the user {user.name}, whom the engines run as, cannot reach {copy}",
            code=Code.FORBIDDEN,
            hint=f"let {user.name} pass through the directories above it (chmod o+x), or run as an ordinary user",
        )
    return copy


def _name(program: Path) -> str:
    """Another name for every version of the program, so that an upgrade is copied anew."""
    found = program.stat()
    version = f"{program} {found.st_size} {found.st_mtime_ns}"
    return f"{program.name}-{hashlib.sha256(version.encode(errors='surrogateescape')).hexdigest()[:12]}"


def _put(copy: Path, make: Callable[[Path], object], user: EngineUser) -> None:
    """Under another name first: a copy that was cut short is never taken for a whole one."""
    passable(copy.parent.parent)
    passable(copy.parent)
    aside = copy.with_name(f".{copy.name}.{secrets.token_hex(4)}")
    try:
        make(aside)
        _open_up(aside)
        aside.rename(copy)
    except OSError:
        shutil.rmtree(aside, ignore_errors=True)
        # two stacks that start together may both copy; the first to finish serves both
        if not copy.exists():
            raise
    emit("engine_programs.copied", directory=str(copy), user=user.name)


def _copy_file(program: Path, directory: Path) -> None:
    directory.mkdir()
    shutil.copy2(program, directory)


def _open_up(copy: Path) -> None:
    """For everyone to read and run: the original may be closed to all but root."""
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
