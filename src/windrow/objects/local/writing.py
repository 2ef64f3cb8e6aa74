"""Changing what is there: place, move, delete. Each holds the locks of its keys."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from windrow.objects.driver import Absent, Guard, Matches
from windrow.objects.errors import changed, exists, not_found
from windrow.objects.local.content_types import FOLDER as TYPES
from windrow.objects.local.content_types import by_suffix, forget, noted, noting
from windrow.objects.local.draft import Draft
from windrow.objects.local.locks import locked, prune
from windrow.objects.local.tree import Tree, spot_of
from windrow.objects.local.versions import etag_at, etag_in


def place(tree: Tree, draft: Draft, key: str, content_type: str, guard: Guard) -> str:
    """Make the draft the object, if the guard holds. Its etag."""
    etag, spot = draft.seal(), spot_of(key)
    with locked(tree, key), tree.made(*spot.folders) as folder:
        held = etag_in(folder, spot.name)
        if isinstance(guard, Matches) and held != guard.etag:
            raise changed(key)
        if isinstance(guard, Absent) and held is not None:
            raise exists(key)
        with noting(tree, key, held, etag, content_type):
            if isinstance(guard, Absent):
                with _exclusive(key):
                    draft.place_if_absent(folder, spot.name)
            else:
                draft.place(folder, spot.name)
            tree.sync(*spot.folders)
    return etag


def move(tree: Tree, source: str, target: str) -> None:
    """Name the object `target` too, then no longer `source`."""
    old, new = spot_of(source), spot_of(target)
    with locked(tree, source, target):
        etag = etag_at(tree, old)
        if etag is None:
            raise not_found(source)
        content_type = noted(tree, source, etag) or by_suffix(source)
        with tree.opened(*old.folders) as here, tree.made(*new.folders) as there:
            if etag_in(there, new.name) is not None:
                raise exists(target)
            with noting(tree, target, None, etag, content_type):
                with _exclusive(target):
                    os.link(old.name, new.name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
                tree.sync(*new.folders)
            os.unlink(old.name, dir_fd=here)
            tree.sync(*old.folders)
        forget(tree, source)
    _tidy(tree, source)


def delete(tree: Tree, key: str) -> None:
    """Remove the object and its note, if they are there."""
    spot = spot_of(key)
    with locked(tree, key):
        with suppress(FileNotFoundError), tree.opened(*spot.folders) as folder:
            os.unlink(spot.name, dir_fd=folder)
            tree.sync(*spot.folders)
        forget(tree, key)
    _tidy(tree, key)


@contextmanager
def _exclusive(key: str) -> Iterator[None]:
    """The name may be taken by somebody who does not know our locks."""
    try:
        yield
    except FileExistsError:
        raise exists(key) from None


def _tidy(tree: Tree, key: str) -> None:
    """Folders exist only for the objects in them."""
    prune(tree, spot_of(key).folders)
    prune(tree, spot_of(key, TYPES).folders)
