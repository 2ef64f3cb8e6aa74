"""The directory at the top: allowed, there, and a directory, or the run does not begin."""

import errno
import os
from pathlib import Path

from windrow.connectors.files.tree import in_words, spot_of
from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError


def open_root(real: Path) -> int:
    """The directory, open."""
    try:
        with spot_of(os.fsencode(real)) as spot:
            return spot.open_folder()
    except OSError as error:
        raise unreadable(real, error) from error


def unreadable(real: Path, error: OSError) -> WindrowError:
    """What a run says that cannot read its root. Nothing is listed then, and nothing deleted."""
    match error.errno:
        case errno.ENOENT:
            return Fatal(f"there is no directory {real}", code=Code.NOT_FOUND, hint="check the path, or mount it")
        case errno.ENOTDIR:
            return Fatal(f"{real} is not a directory", code=Code.CONFIGURATION, hint="name the directory it is in")
        case errno.EACCES | errno.EPERM:
            return Fatal(
                f"{real} may not be read: {in_words(error)}",
                code=Code.FORBIDDEN,
                hint="let the user that Windrow runs as read and search it",
            )
        case _:
            return RetryableTransient(
                f"{real} cannot be read now: {in_words(error)}",
                code=Code.STORAGE_UNAVAILABLE,
                hint="if it is on a network or a removable disk, see whether that is connected",
            )


def emptied(real: Path, held: int) -> WindrowError:
    """Where there was much and now is nothing, a mount is missing more often than everything was deleted."""
    return RetryableTransient(
        f"{real} is empty, and held {held} entries when it was listed last",
        code=Code.STORAGE_UNAVAILABLE,
        hint="mount what belongs there; if it is meant to be empty, put any file into it (.keep will do)",
    )
