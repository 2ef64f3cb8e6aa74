"""A page's changes become records: what the entries do not say is asked of the repository, one command a kind."""

import re
from collections.abc import Sequence
from typing import Any, cast

from windrow.connectors.files.naming import escaped, unescaped
from windrow.connectors.git.config import Entity
from windrow.connectors.git.entries import AuthorEntry, Change, FileEntry, RefEntry
from windrow.connectors.git.forge import Forge
from windrow.connectors.git.history import seconds
from windrow.connectors.git.naming import author_name
from windrow.connectors.git.repository import Object, Repository
from windrow.connectors.git.snapshot import Snapshot
from windrow.connectors.git.tagging import read_tag

Record = dict[str, Any]

_COMMIT = "%H%x00%T%x00%P%x00%aN%x00%aE%x00%at%x00%cN%x00%cE%x00%ct%x00%B"
_FIELDS = 10
_LONGEST_FIELD = 16 * 1024
_LONGEST_LINK = 4096
_LARGEST_TAG = 256 * 1024
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)?oid sha256:([0-9a-f]{64})\nsize (\d{1,18})\n"
)
_POINTER_SIZES = (120, 1024)
_SYMLINK = "120000"


async def describe(
    changes: Sequence[Change], repository: Repository, moment: Snapshot, pages: Forge | None
) -> list[Record]:
    """The records of a page, in its order; each holds all that its item is made of."""
    there: dict[Entity, list[Any]] = {}
    for change in changes:
        if not change.gone:
            there.setdefault(change.entity, []).append(change.entry)
    known: dict[tuple[Entity, str], Record] = {}
    for entity, entries in there.items():
        for record in await _asked(entity, entries, repository, moment.tip):
            record["url"] = pages.url(entity, _named(record), moment.branch) if pages else None
            known[entity, record["key"]] = record
    return [_gone(change) if change.gone else known[change.entity, change.entry.key] for change in changes]


def _named(record: Record) -> bytes:
    """The name as the source has it."""
    name: str = record["key"]
    return name.encode("latin-1") if record["entity"] is Entity.FILE else unescaped(name)


def _gone(change: Change) -> Record:
    name = escaped(change.entry.path) if isinstance(change.entry, FileEntry) else change.entry.key
    return {"entity": change.entity, "key": change.entry.key, "name": name, "gone": True}


async def _asked(entity: Entity, entries: Sequence[Any], repository: Repository, tip: str | None) -> list[Record]:
    match entity:
        case Entity.FILE:
            return await _files(entries, repository)
        case Entity.COMMIT:
            return await _commits([entry.key for entry in entries], repository, cast("str", tip))
        case Entity.AUTHOR:
            return [_author(entry) for entry in entries]
        case _:
            return await _refs(entity, entries, repository)


async def _files(entries: Sequence[FileEntry], repository: Repository) -> list[Record]:
    telling = {entry.sha for entry in entries if _tells(entry)}
    found = await repository.objects(sorted(telling), content=True)
    return [_file(entry, found.get(entry.sha)) for entry in entries]


def _tells(entry: FileEntry) -> bool:
    """Whether its content says what it is: where a link leads, or that the file is kept elsewhere."""
    if entry.size is None:
        return False
    smallest, largest = (0, _LONGEST_LINK) if entry.mode == _SYMLINK else _POINTER_SIZES
    return smallest <= entry.size <= largest


def _file(entry: FileEntry, content: Object | None) -> Record:
    record: Record = {
        "entity": Entity.FILE,
        "key": entry.key,
        "name": escaped(entry.path),
        "mode": entry.mode,
        "sha": entry.sha,
        "size": entry.size,
        "last": entry.last,
        "last_at": entry.last_at,
        "added_at": entry.added_at,
        "renamed_from": escaped(entry.renamed_from.encode("latin-1")),
    }
    if content is not None and entry.mode == _SYMLINK:
        record["leads_to"] = escaped(content.content)
    elif content is not None and (pointer := _POINTER.fullmatch(content.content)):
        record["lfs"] = {"sha256": pointer[1].decode(), "size": int(pointer[2])}
    return record


async def _commits(shas: Sequence[str], repository: Repository, tip: str) -> list[Record]:
    fields: list[bytes] = []
    await repository.details(shas, tip, _COMMIT, fields.extend, longest=_LONGEST_FIELD)
    return [_commit(*fields[at : at + _FIELDS]) for at in range(0, len(fields), _FIELDS)]


def _commit(
    sha: bytes,
    tree: bytes,
    parents: bytes,
    name: bytes,
    email: bytes,
    at: bytes,
    committer: bytes,
    committer_email: bytes,
    committed_at: bytes,
    message: bytes,
) -> Record:
    return {
        "entity": Entity.COMMIT,
        "key": sha.decode("ascii"),
        "name": sha.decode("ascii"),
        "tree": tree.decode("ascii"),
        "parents": parents.decode("ascii").split(),
        "author": _text(name),
        "author_email": _text(email),
        "author_key": author_name(email, name),
        "at": seconds(_text(at)),
        "committer": _text(committer),
        "committer_email": _text(committer_email),
        "committed_at": seconds(_text(committed_at)),
        "message": _text(message),
    }


def _author(entry: AuthorEntry) -> Record:
    return {"entity": Entity.AUTHOR, "key": entry.key, "name": entry.key, "called": entry.name, "email": entry.email}


async def _refs(entity: Entity, entries: Sequence[RefEntry], repository: Repository) -> list[Record]:
    """What they point to: itself, and behind all tags of tags."""
    shas = sorted({entry.sha for entry in entries})
    at_end = await repository.objects([f"{sha}^{{}}" for sha in shas])
    sizes = await repository.objects(shas)
    small = [sha for sha in shas if sha in sizes and sizes[sha].size <= _LARGEST_TAG and sizes[sha].type == "tag"]
    tags = await repository.objects(small, content=True)
    ends = [end.sha for end in at_end.values() if end.type == "commit"]
    times = await _times(sorted(set(ends)), repository)
    return [
        {
            "entity": entity,
            "key": entry.key,
            "name": entry.key,
            "sha": entry.sha,
            **_end(at_end.get(f"{entry.sha}^{{}}"), times),
            **({"tag": read_tag(tags[entry.sha].content)} if entry.sha in tags else {}),
        }
        for entry in entries
    ]


def _end(end: Object | None, times: dict[str, int]) -> Record:
    if end is None:
        return {"target": None, "target_type": "missing", "committed_at": 0}
    return {"target": end.sha, "target_type": end.type, "committed_at": times.get(end.sha, 0)}


async def _times(shas: Sequence[str], repository: Repository) -> dict[str, int]:
    if not shas:
        return {}
    fields: list[bytes] = []
    await repository.details(shas, shas[0], "%H%x00%ct", fields.extend, longest=_LONGEST_FIELD)
    return {sha.decode("ascii"): seconds(_text(at)) for sha, at in zip(fields[::2], fields[1::2], strict=True)}


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
