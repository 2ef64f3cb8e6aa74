"""The keys of a tenant in byte order, from trees that each hold the keys of one depth."""

import heapq
import os
import stat
from collections.abc import Iterator

from windrow.objects.driver import Listed
from windrow.objects.keys import fault
from windrow.objects.local.tree import Tree
from windrow.objects.local.versions import etag_of, updated

# code points order as their UTF-8 bytes do, so plain strings compare as the keys of S3


def walk(tree: Tree, prefix: str, after: str | None) -> Iterator[Listed]:
    """Every object below the folder and after the key. One directory at a time is held in memory."""
    folders = tuple(prefix.split("/")) if prefix else ()
    depths = [depth for depth in _depths(tree) if depth > len(folders)]
    return heapq.merge(*(_below(tree, depth, folders, after or "") for depth in depths), key=lambda listed: listed.key)


def _depths(tree: Tree) -> list[int]:
    return [int(name) for name, _ in _entries(tree, ()) if name.isascii() and name.isdigit() and name[0] != "0"]


def _below(tree: Tree, depth: int, folders: tuple[str, ...], after: str) -> Iterator[Listed]:
    lead = "".join(f"{folder}/" for folder in folders)
    entries = _entries(tree, (str(depth), *folders))
    if len(folders) == depth - 1:
        for name, status in sorted(entries):
            if stat.S_ISREG(status.st_mode) and lead + name > after:
                yield Listed(lead + name, status.st_size, etag_of(status), updated(status))
        return
    for name, status in sorted(entries, key=lambda entry: f"{entry[0]}/"):
        below = f"{lead}{name}/"
        # everything in there comes before `after`, unless `after` itself is in there
        if stat.S_ISDIR(status.st_mode) and (below > after or after.startswith(below)):
            yield from _below(tree, depth, (*folders, name), after)


def _entries(tree: Tree, folders: tuple[str, ...]) -> list[tuple[str, os.stat_result]]:
    """What stands in a folder, links as links; names that no key can have are a stranger's."""
    found = []
    try:
        with tree.opened(*folders) as folder, os.scandir(folder) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if fault(entry.name) is None:
                    found.append((entry.name, status))
    except FileNotFoundError:
        return []
    return found
