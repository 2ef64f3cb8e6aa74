"""How two versions of a file are told apart."""

import os
import stat
from datetime import UTC, datetime

from windrow.objects.local.tree import Spot, Tree


def etag_of(status: os.stat_result) -> str:
    """Every version is a file of its own with a stamp of its own; it keeps both under another name."""
    return f"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"


def etag_in(folder: int, name: str) -> str | None:
    """The etag of the file that has this name now."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return etag_of(status) if stat.S_ISREG(status.st_mode) else None


def etag_at(tree: Tree, spot: Spot) -> str | None:
    """The etag of the file that stands there now."""
    try:
        with tree.opened(*spot.folders) as folder:
            return etag_in(folder, spot.name)
    except FileNotFoundError:
        return None


def updated(status: os.stat_result) -> datetime:
    return datetime.fromtimestamp(status.st_mtime, UTC)
