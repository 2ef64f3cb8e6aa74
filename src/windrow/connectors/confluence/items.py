"""Records become items. What a record says is all that is needed: the same record gives the same item anywhere."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from windrow.connectors.confluence.config import Entity
from windrow.connectors.confluence.records import Record
from windrow.contracts.item import Item, Relation

_LONGEST_NAME = 500
_LONGEST_PATH = 4096
_MOST = 200


def item(record: Record) -> Item:
    """One record as an item."""
    match record["is"]:
        case "gone":
            return _gone(record)
        case "space":
            return _space(record["of"], record["site"])
        case _:
            return _content(record["of"], record["site"])


def external_id(entity: str, named: Any) -> str:
    """How an item is called: content keeps its id wherever it is moved to."""
    return f"{entity}:{named}"


def _gone(record: Record) -> Item:
    entity = Entity(record["entity"])
    name = external_id(entity.value, record["id"])
    return Item(entity_type=entity.value, external_id=name, display_name=_display(record["title"], name), deleted=True)


def _space(of: dict[str, Any], site: str) -> Item:
    key = str(of["key"])
    home = of.get("homepageId") or _part(of, "homepage").get("id")
    return Item(
        entity_type=Entity.SPACE.value,
        external_id=external_id("space", of["id"]),
        display_name=_display(of.get("name"), key),
        canonical_path=key,
        url=_url(of, site),
        source_created_at=_moment(of.get("createdAt")),
        attributes=_stated(key=key, type=of.get("type"), status=of.get("status")),
        relations=(Relation("homepage", external_id("page", home)),) if home else (),
    )


def _content(of: dict[str, Any], site: str) -> Item:
    entity = Entity(of["type"])
    version, history = _part(of, "version"), _part(of, "history")
    extensions = _part(of, "extensions")
    return Item(
        entity_type=entity.value,
        external_id=external_id(entity.value, of["id"]),
        display_name=_display(of.get("title"), f"{entity.value} {of['id']}"),
        canonical_path=_path(entity, of),
        url=_url(of, site),
        owners=tuple(filter(None, [_person(_part(history, "ownedBy")) or _person(_part(history, "createdBy"))])),
        labels=tuple(_labels(of)),
        source_version=str(version["number"]) if version.get("number") is not None else None,
        source_created_at=_moment(history.get("createdDate")),
        source_updated_at=_moment(version.get("when")),
        attributes=_stated(
            space=_part(of, "space").get("key"),
            editor=_person(_part(version, "by")),
            minor_edit=version.get("minorEdit") or None,
            location=extensions.get("location"),
            resolution=_part(extensions, "resolution").get("status"),
            media_type=extensions.get("mediaType"),
            size=extensions.get("fileSize"),
            restrictions=_restrictions(_part(of, "restrictions")),
        ),
        relations=tuple(_relations(entity, of)),
    )


def _path(entity: Entity, of: dict[str, Any]) -> str | None:
    """Where it stands: pages below their ancestors, posts in their space, attachments as their address has it."""
    key, title = _part(of, "space").get("key"), str(of.get("title") or of["id"])
    match entity:
        case Entity.PAGE if key and isinstance(of.get("ancestors"), list):
            steps = [key, *(str(each.get("title")) for each in of["ancestors"]), title]
        case Entity.BLOGPOST if key:
            steps = [key, title]
        case Entity.ATTACHMENT if container := _part(of, "container").get("id"):
            steps = [str(container), title]
        case _:
            return None
    # a title may hold a slash, and is one step all the same
    path = "/".join(step.replace("/", "\\/") for step in steps)
    return path if len(path) <= _LONGEST_PATH else None


def _relations(entity: Entity, of: dict[str, Any]) -> Iterable[Relation]:
    if (space := _part(of, "space").get("id")) is not None:
        yield Relation("space", external_id("space", space))
    ancestors = [external_id(each.get("type") or entity.value, each["id"]) for each in of.get("ancestors") or ()]
    yield from (Relation("ancestor", each) for each in ancestors[-_MOST:])
    if ancestors:
        yield Relation("parent", ancestors[-1])
    container = _part(of, "container")
    if entity in (Entity.COMMENT, Entity.ATTACHMENT) and container.get("id"):
        yield Relation("of", external_id(container.get("type") or "page", container["id"]))


def _labels(of: dict[str, Any]) -> Iterable[str]:
    """As people write them. Those with the prefix `my` are one person's own, and nobody else's business."""
    found = _part(_part(of, "metadata"), "labels").get("results") or ()
    names = {str(each["name"])[:256] for each in found if each.get("name") and each.get("prefix") != "my"}
    return sorted(names)[:_MOST]


def _restrictions(of: dict[str, Any]) -> dict[str, Any] | None:
    """Who alone may read or change it, where that is said of this very thing; what is inherited is said of its ancestors."""
    found = {
        what: _stated(
            users=sorted(filter(None, map(_person, _named(of, what, "user"))))[:_MOST] or None,
            groups=sorted(str(each["name"]) for each in _named(of, what, "group") if each.get("name"))[:_MOST] or None,
        )
        for what in ("read", "update")
    }
    return {what: who for what, who in found.items() if who} or None


def _named(of: dict[str, Any], what: str, who: str) -> list[dict[str, Any]]:
    restricted = _part(_part(_part(of, what), "restrictions"), who)
    return list(restricted.get("results") or ())


def _person(of: dict[str, Any]) -> str | None:
    """The Cloud has account ids, a Data Center has names."""
    named = of.get("accountId") or of.get("username") or of.get("userKey")
    return str(named)[:256] if named else None


def _url(of: dict[str, Any], site: str) -> str | None:
    page = _part(of, "_links").get("webui")
    url = f"{site}{page}" if isinstance(page, str) and page.startswith("/") else None
    return url if url and len(url) <= _LONGEST_PATH else None


def _moment(told: Any) -> datetime | None:
    """A time of the source's; None for one that is missing or broken."""
    try:
        moment = datetime.fromisoformat(told)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _display(text: Any, otherwise: str) -> str:
    """A name in one line."""
    return (" ".join(str(text or "").split()) or otherwise)[:_LONGEST_NAME]


def _part(of: dict[str, Any], name: str) -> dict[str, Any]:
    """A part of a record, empty where it is missing."""
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _stated(**attributes: Any) -> dict[str, Any]:
    """What there is to say."""
    return {name: value for name, value in attributes.items() if value not in (None, "")}
