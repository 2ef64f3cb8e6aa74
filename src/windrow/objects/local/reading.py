"""Opening an object's file."""

import errno
import os

from windrow.objects.driver import Head
from windrow.objects.local.content_types import by_suffix, noted
from windrow.objects.local.tree import Tree, spot_of
from windrow.objects.local.versions import etag_at, etag_of, updated

# how often an object may be replaced while its file and its note are read
_RACES = 20


def open_object(tree: Tree, key: str) -> tuple[int, Head] | None:
    """The open file and its head, or None. Both are of the same version, whatever is put meanwhile."""
    for _ in range(_RACES):
        file = tree.open_file(spot_of(key))
        if file is None:
            return None
        try:
            head = _head(tree, key, file)
        except BaseException:
            os.close(file)
            raise
        if head is not None:
            return file, head
        os.close(file)
    raise OSError(errno.EAGAIN, "the object is replaced all the time")


def _head(tree: Tree, key: str, file: int) -> Head | None:
    """The head of the open file, or None if its note may be gone because it was replaced."""
    status = os.fstat(file)
    etag = etag_of(status)
    content_type = noted(tree, key, etag)
    if content_type is None and etag_at(tree, spot_of(key)) != etag:
        return None
    return Head(key, status.st_size, etag, updated(status), content_type or by_suffix(key))
