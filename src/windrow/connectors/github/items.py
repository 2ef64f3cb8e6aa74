"""Records become items: what GitHub says of one thing, whoever brought it, a list or a webhook's delivery.

A record is `{"kind", "repository": {"id", "full_name"}, "payload"}`, where the payload is the thing as GitHub's API writes
it; of a thing that is gone, `gone` is true and the payload holds what names it. Only what lists and deliveries both tell is
used, and no counter that moves by itself: the same thing gives the same item, however it was learnt.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from windrow.connectors.github.config import Entity
from windrow.contracts.item import Item, Relation

Record = dict[str, Any]
Payload = Mapping[str, Any]

_LONGEST_NAME = 200
_LONGEST_MESSAGE = 2000
_LONGEST_LABEL = 256
_LONGEST_TEXT = 1000
_LONGEST_ID = 1024
_MOST = 100


def record(kind: Entity, repository: Payload, payload: Any, *, web: str = "", gone: bool = False) -> Record:
    """One thing of a repository. `web` is where people look at GitHub: files alone have no address of their own."""
    where = {"id": repository["id"], "full_name": repository["full_name"]}
    return {"kind": kind.value, "repository": where, "payload": payload} | _given(web=web, gone=gone)


def external_id(kind: Entity, repository_id: int, payload: Payload) -> str:
    """What a thing is called whatever else changes about it: by number, never by a name that can be given away."""
    match kind:
        case Entity.COMMIT:
            return f"commit:{repository_id:d}:{payload['sha']}"
        case Entity.FILE:
            return f"file:{repository_id:d}:{payload['path']}"
        case _:
            return f"{kind}:{payload['id']:d}"


def item(record: Record) -> Item:
    """One record as an item."""
    kind, payload = Entity(record["kind"]), record["payload"]
    repository_id = record["repository"]["id"]
    named = external_id(kind, repository_id, payload)
    if len(named) > _LONGEST_ID:
        raise ValueError("what names it is too long")
    if record.get("gone"):
        return Item(entity_type=kind.value, external_id=named, display_name=named[:_LONGEST_NAME], deleted=True)
    said = _MAPPED[kind](record, payload)
    if kind is not Entity.REPOSITORY:
        belongs = Relation("repository", external_id(Entity.REPOSITORY, repository_id, {"id": repository_id}))
        said["relations"] = (belongs, *said.get("relations", ()))
    said["display_name"] = said["display_name"].strip()[:_LONGEST_NAME] or named
    return Item(entity_type=kind.value, external_id=named, **said)


def _repository(_: Record, payload: Payload) -> dict[str, Any]:
    owner = payload["owner"]["login"]
    return {
        "display_name": payload["full_name"],
        "canonical_path": payload["full_name"],
        "url": payload["html_url"],
        "owners": (owner,),
        "labels": _labels(payload.get("topics") or ()),
        "source_created_at": _moment(payload.get("created_at")),
        "source_updated_at": _moment(payload.get("updated_at")),
        "attributes": _given(
            description=_short(payload.get("description")),
            homepage=_short(payload.get("homepage")),
            visibility=payload.get("visibility") or ("private" if payload.get("private") else "public"),
            default_branch=payload.get("default_branch"),
            language=payload.get("language"),
            license=(payload.get("license") or {}).get("spdx_id"),
            fork=payload.get("fork"),
            archived=payload.get("archived"),
            template=payload.get("is_template"),
            pushed_at=payload.get("pushed_at"),
        ),
    }


def _issue(record: Record, payload: Payload) -> dict[str, Any]:
    return _discussed(record, payload, "issues") | {
        "attributes": _given(
            number=payload["number"],
            state=payload["state"],
            state_reason=payload.get("state_reason"),
            author=_login(payload.get("user")),
            assignees=list(_logins(payload)),
            closed_at=payload.get("closed_at"),
            locked=payload.get("locked"),
        )
    }


def _pull_request(record: Record, payload: Payload) -> dict[str, Any]:
    repository_id = record["repository"]["id"]
    said = _discussed(record, payload, "pull")
    if merged_as := payload.get("merged_at") and payload.get("merge_commit_sha"):
        target = external_id(Entity.COMMIT, repository_id, {"sha": merged_as})
        said["relations"] = (*said["relations"], Relation("merged_as", target))
    return said | {
        "attributes": _given(
            number=payload["number"],
            state="merged" if payload.get("merged_at") else payload["state"],
            draft=payload.get("draft"),
            author=_login(payload.get("user")),
            assignees=list(_logins(payload)),
            head=payload["head"]["ref"],
            head_sha=payload["head"]["sha"],
            base=payload["base"]["ref"],
            merged_at=payload.get("merged_at"),
            closed_at=payload.get("closed_at"),
            locked=payload.get("locked"),
        )
    }


def _discussed(record: Record, payload: Payload, part: str) -> dict[str, Any]:
    """What issues and pull requests have in common."""
    labels = [label for label in payload.get("labels") or () if isinstance(label, Mapping)]
    milestone = payload.get("milestone")
    related = [Relation("label", external_id(Entity.LABEL, 0, label)) for label in labels[:_MOST]]
    if milestone:
        related.append(Relation("milestone", external_id(Entity.MILESTONE, 0, milestone)))
    return {
        "display_name": payload["title"],
        "canonical_path": f"{record['repository']['full_name']}/{part}/{payload['number']:d}",
        "url": payload["html_url"],
        "owners": _logins(payload),
        "labels": _labels(label["name"] for label in labels),
        "source_created_at": _moment(payload["created_at"]),
        "source_updated_at": _moment(payload["updated_at"]),
        "relations": tuple(related),
    }


def _label(record: Record, payload: Payload) -> dict[str, Any]:
    return {
        "display_name": payload["name"],
        "canonical_path": f"{record['repository']['full_name']}/labels/{payload['name']}",
        "attributes": _given(color=payload.get("color"), description=_short(payload.get("description"))),
    }


def _milestone(record: Record, payload: Payload) -> dict[str, Any]:
    # how many issues are open or closed is left out: it moves with each of them, and they are harvested themselves
    return {
        "display_name": payload["title"],
        "canonical_path": f"{record['repository']['full_name']}/milestone/{payload['number']:d}",
        "url": payload["html_url"],
        "source_created_at": _moment(payload["created_at"]),
        "attributes": _given(
            number=payload["number"],
            state=payload["state"],
            description=_short(payload.get("description")),
            due_on=payload.get("due_on"),
            closed_at=payload.get("closed_at"),
        ),
    }


def _release(record: Record, payload: Payload) -> dict[str, Any]:
    marks = {"draft": payload.get("draft"), "prerelease": payload.get("prerelease")}
    author = _login(payload.get("author"))
    return {
        "display_name": payload.get("name") or payload["tag_name"],
        "canonical_path": f"{record['repository']['full_name']}/releases/{payload['tag_name']}",
        "url": payload["html_url"],
        "owners": (author,) if author else (),
        "labels": tuple(mark for mark, is_so in marks.items() if is_so),
        "source_created_at": _moment(payload["created_at"]),
        "source_updated_at": _moment(payload.get("published_at")),
        "attributes": _given(
            tag=payload["tag_name"],
            target=payload.get("target_commitish"),
            assets=[_asset(asset) for asset in (payload.get("assets") or ())[:_MOST]],
        ),
    }


def _asset(asset: Payload) -> dict[str, Any]:
    return _given(name=asset["name"], size=asset.get("size"), content_type=asset.get("content_type"))


def _commit(record: Record, payload: Payload) -> dict[str, Any]:
    repository_id, commit = record["repository"]["id"], payload["commit"]
    subject, _, body = str(commit["message"]).strip().partition("\n")
    parents = [parent["sha"] for parent in payload.get("parents") or ()][:_MOST]
    author, committer = commit.get("author") or {}, commit.get("committer") or {}
    who = _login(payload.get("author")) or author.get("name")
    return {
        "display_name": subject,
        "canonical_path": f"{record['repository']['full_name']}/commit/{payload['sha']}",
        "url": payload["html_url"],
        "owners": (who[:_LONGEST_LABEL],) if who else (),
        "labels": ("merge",) if len(parents) > 1 else (),
        "source_version": payload["sha"],
        "source_created_at": _moment(author.get("date")),
        "source_updated_at": _moment(committer.get("date")),
        "attributes": _given(
            author=author.get("name"),
            author_email=author.get("email"),
            committer=committer.get("name"),
            committer_email=committer.get("email"),
            subject=subject[:_LONGEST_MESSAGE],
            body=body.strip()[:_LONGEST_MESSAGE],
        ),
        "relations": tuple(
            Relation("parent", external_id(Entity.COMMIT, repository_id, {"sha": sha})) for sha in parents
        ),
    }


def _file(record: Record, payload: Payload) -> dict[str, Any]:
    full_name, path = record["repository"]["full_name"], payload["path"]
    web = record.get("web")
    return {
        "display_name": path.rpartition("/")[2],
        "canonical_path": f"{full_name}/{path}",
        # HEAD is whatever branch is the default one: the address stays when that is renamed
        "url": f"{web}/{full_name}/blob/HEAD/{quote(path)}" if web else None,
        "source_version": payload["sha"],
        "attributes": _given(mode=payload.get("mode"), size=payload.get("size")),
    }


_MAPPED: dict[Entity, Callable[[Record, Payload], dict[str, Any]]] = {
    Entity.REPOSITORY: _repository,
    Entity.ISSUE: _issue,
    Entity.PULL_REQUEST: _pull_request,
    Entity.LABEL: _label,
    Entity.MILESTONE: _milestone,
    Entity.RELEASE: _release,
    Entity.COMMIT: _commit,
    Entity.FILE: _file,
}


def _given(**values: Any) -> dict[str, Any]:
    """What the source said: nothing for null, the empty and False."""
    return {name: value for name, value in values.items() if value}


def _short(text: str | None) -> str | None:
    return text[:_LONGEST_TEXT] if text else None


def _login(user: Payload | None) -> str | None:
    # the account of a thing may be deleted: its things stay, with nobody
    return user["login"] if user else None


def _logins(payload: Payload) -> tuple[str, ...]:
    return tuple(user["login"] for user in payload.get("assignees") or () if user)


def _labels(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name[:_LONGEST_LABEL] for name in list(names)[:_MOST] if name)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
