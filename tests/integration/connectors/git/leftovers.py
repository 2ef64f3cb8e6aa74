"""Which processes are still there for a directory: those that were told of it in their environment."""

import os
from contextlib import suppress
from pathlib import Path


def processes_of(directory: Path) -> list[str]:
    """The command lines of live processes that know the directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):
            if bytes(directory) in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


def zombies() -> list[str]:
    """Our children that nobody has collected."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    found = []
    for child in children:
        with suppress(OSError):
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
            if state == "Z":
                found.append(child)
    return found
