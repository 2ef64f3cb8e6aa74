"""Why an engine did not start or did not stay: its own words and the state of the disk, as an error of ours.

The engines are programs, not libraries: their words are all they give. This is the one place that reads them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from windrow.contracts.errors import Code, Fatal
from windrow.telemetry import redact

# below this PostgreSQL cannot make its next write-ahead log segment
ROOM = 16 * 1024 * 1024
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sign:
    """Words of an engine, and what they mean."""

    words: tuple[str, ...]
    code: Code
    meaning: str
    hint: str


FULL = Sign(
    ("no space left on device", "database or disk is full", "disk quota exceeded"),
    Code.DISK_FULL,
    "the disk is full",
    "free some space, then start again",
)
SIGNS = (
    FULL,
    Sign(
        ("read-only file system", "readonly database"),
        Code.READ_ONLY,
        "its data is on a read-only file system",
        "make it writable, or choose another home (WINDROW_HOME)",
    ),
    Sign(
        ("address already in use",),
        Code.PORT_TAKEN,
        "its port is taken",
        "stop what is using it, or choose another port",
    ),
    Sign(
        ('lock file "postmaster.pid" already exists', "pre-existing shared memory block"),
        Code.ALREADY_RUNNING,
        "another server uses its data",
        "stop that server; its process is named in postmaster.pid in the data directory",
    ),
    Sign(
        ("database files are incompatible", "no such column", "no such table"),
        Code.DATA_VERSION,
        "its data was written by another version of it",
        "use the version that wrote it, or choose another home (WINDROW_HOME)",
    ),
    Sign(
        (
            "file is not a database",
            "disk image is malformed",
            "incorrect checksum",
            "could not locate a valid checkpoint",
        ),
        Code.CORRUPTED,
        "its data is damaged",
        "restore it from a backup, or move it away to begin with nothing",
    ),
    Sign(
        ("permission denied", "wrong ownership", "invalid permissions"),
        Code.FORBIDDEN,
        "it may not use its files",
        "give the data directory back to the user that made it, closed to all others",
    ),
)


def why_not_started(engine: str, lines: Sequence[str], directory: Path, *, room: int) -> Fatal:
    """The engine ended before it answered, so all that it said is about that. `room` is what the disk has left."""
    told = "\n".join(lines).lower()
    for sign in SIGNS:
        if any(words in told for words in sign.words):
            return _error(engine, sign, directory)
    # on a full disk an engine cannot even write down that the disk is full
    if room < ROOM:
        return _error(engine, FULL, directory)
    return _unexplained(f"{engine} did not start", lines)


def why_ended(engine: str, code: int, lines: Sequence[str], directory: Path, *, room: int) -> Fatal:
    """The engine ended after it had answered: its log is full of its clients' troubles, so its exit counts."""
    if room < ROOM:
        return _error(engine, FULL, directory)
    if code < 0:
        return _unexplained(f"{engine} was killed by {Signals(-code).name}", ())
    return _unexplained(f"{engine} ended with exit code {code}", lines)


def _error(engine: str, sign: Sign, directory: Path) -> Fatal:
    return Fatal(f"{engine} cannot run: {sign.meaning} ({directory})", code=sign.code, hint=sign.hint)


def _unexplained(what: str, lines: Sequence[str]) -> Fatal:
    last = [line.strip() for line in lines if line.strip()][-SHOWN:]
    said = redact(": " + " | ".join(last)) if last else ""
    return Fatal(what + said, code=Code.ENGINE_FAILED, hint="its log, in `logs` in the home, tells more")
