"""Records become items. What a record says is all that is needed: the same record gives the same item anywhere."""

import posixpath
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from windrow.connectors.git.config import Entity
from windrow.connectors.git.languages import language
from windrow.connectors.git.naming import bounded, external_id
from windrow.connectors.git.records import Record
from windrow.contracts.item import Item, Relation

_LONGEST_NAME = 200
_LONGEST_PATH = 4096
_LONGEST_MESSAGE = 2000
_LONGEST_LABEL = 256
# an octopus has a few parents; a thousand are a joke, and would not fit
_MOST_PARENTS = 100
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
_KINDS = {"100755": "executable", "120000": "symlink", "160000": "submodule"}


def item(record: Record) -> Item:
    """One record as an item."""
    entity = Entity(record["entity"])
    if record.get("gone"):
        name = external_id(entity, record["name"])
        return Item(
            entity_type=entity.value, external_id=name, display_name=_display(record["name"], name), deleted=True
        )
    return _MAPPED[entity](record)


def _file(record: Record) -> Item:
    path: str = record["name"]
    name = external_id(Entity.FILE, path)
    relations = [("last_commit", Entity.COMMIT, record["last"]), ("renamed_from", Entity.FILE, record["renamed_from"])]
    labels = [_KINDS.get(record["mode"]), language(path), "lfs" if "lfs" in record else None]
    return Item(
        entity_type=Entity.FILE.value,
        external_id=name,
        display_name=_display(posixpath.basename(path), name),
        canonical_path=bounded(path, _LONGEST_PATH),
        url=record["url"],
        labels=tuple(label for label in labels if label),
        source_version=record["sha"],
        source_created_at=_moment(record["added_at"]),
        source_updated_at=_moment(record["last_at"]),
        attributes=_stated(
            mode=record["mode"],
            size=record["size"],
            leads_to=record.get("leads_to"),
            lfs=record.get("lfs"),
        ),
        relations=tuple(Relation(kind, external_id(to, target)) for kind, to, target in relations if target),
    )


def _commit(record: Record) -> Item:
    sha: str = record["key"]
    subject, _, body = record["message"].strip().partition("\n")
    parents = record["parents"][:_MOST_PARENTS]
    return Item(
        entity_type=Entity.COMMIT.value,
        external_id=external_id(Entity.COMMIT, sha),
        display_name=_display(subject, sha[:12]),
        url=record["url"],
        owners=_owners(record["author_email"]),
        labels=("merge",) if len(record["parents"]) > 1 else (),
        source_version=sha,
        source_created_at=_moment(record["at"]),
        source_updated_at=_moment(record["committed_at"]),
        attributes=_stated(
            author=_cut(record["author"]),
            author_email=_cut(record["author_email"]),
            committer=_cut(record["committer"]),
            committer_email=_cut(record["committer_email"]),
            subject=_cut(subject, _LONGEST_MESSAGE),
            body=_cut(body.strip(), _LONGEST_MESSAGE),
            tree=record["tree"],
            parents=len(record["parents"]),
        ),
        relations=(
            Relation("author", external_id(Entity.AUTHOR, record["author_key"])),
            *(Relation("parent", external_id(Entity.COMMIT, parent)) for parent in dict.fromkeys(parents)),
        ),
    )


def _author(record: Record) -> Item:
    name = external_id(Entity.AUTHOR, record["key"])
    return Item(
        entity_type=Entity.AUTHOR.value,
        external_id=name,
        display_name=_display(record["called"] or record["email"], "unknown"),
        attributes=_stated(email=_cut(record["email"], 1024)),
    )


def _branch(record: Record) -> Item:
    return Item(
        entity_type=Entity.BRANCH.value,
        external_id=external_id(Entity.BRANCH, record["key"]),
        display_name=_display(record["key"], "unknown"),
        url=record["url"],
        source_version=record["sha"],
        source_updated_at=_moment(record["committed_at"]),
        attributes=_stated(target_type=record["target_type"]),
        relations=_points_to(record),
    )


def _tag(record: Record) -> Item:
    tag: dict[str, Any] = record.get("tag") or {}
    annotated = record["sha"] != record["target"]
    return Item(
        entity_type=Entity.TAG.value,
        external_id=external_id(Entity.TAG, record["key"]),
        display_name=_display(record["key"], "unknown"),
        url=record["url"],
        labels=("annotated",) if annotated else (),
        source_version=record["sha"],
        source_created_at=_moment(tag.get("at") or record["committed_at"]),
        attributes=_stated(
            target=record["target"],
            target_type=record["target_type"],
            tagger=_cut(tag.get("tagger", "")),
            tagger_email=_cut(tag.get("tagger_email", "")),
            message=_cut(tag.get("message", "").strip(), _LONGEST_MESSAGE),
        ),
        relations=_points_to(record),
    )


def _points_to(record: Record) -> tuple[Relation, ...]:
    if record["target_type"] != "commit":
        return ()
    return (Relation("points_to", external_id(Entity.COMMIT, record["target"])),)


def _display(text: str, otherwise: str) -> str:
    """A name in one line."""
    return _cut(" ".join(text.split()), _LONGEST_NAME) or _cut(otherwise, _LONGEST_NAME)


def _owners(email: str) -> tuple[str, ...]:
    return (_cut(email.strip(), _LONGEST_LABEL),) if email.strip() else ()


def _cut(text: str, longest: int = _LONGEST_LABEL) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _moment(at: int) -> datetime | None:
    """A time of git's; None for one that is missing, broken, or beyond the calendar."""
    return datetime.fromtimestamp(at, UTC) if 0 < at < _LATEST else None


def _stated(**attributes: Any) -> dict[str, Any]:
    """What there is to say."""
    return {name: value for name, value in attributes.items() if value not in (None, "")}


_MAPPED: dict[Entity, Callable[[Record], Item]] = {
    Entity.FILE: _file,
    Entity.COMMIT: _commit,
    Entity.AUTHOR: _author,
    Entity.BRANCH: _branch,
    Entity.TAG: _tag,
}
