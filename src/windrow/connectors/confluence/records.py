"""What a page of ours holds: the source's own records, each with what it is."""

from typing import Any

from windrow.connectors.confluence.config import Entity

Record = dict[str, Any]


def space(of: dict[str, Any], site: str) -> Record:
    """A space, as either API tells it."""
    return {"is": "space", "of": of, "site": site}


def content(of: dict[str, Any], site: str) -> Record:
    """A page, post, comment or attachment, as the older API tells it."""
    return {"is": "content", "of": of, "site": site}


def gone(entity: Entity, of: dict[str, Any]) -> Record:
    """Something in the trash."""
    return {"is": "gone", "entity": entity.value, "id": str(of["id"]), "title": of.get("title")}


def plain(listed: dict[str, Any], entity: Entity) -> dict[str, Any]:
    """A page or post as the newer API lists it, in the words of the older one; labels and ancestors are not among them."""
    version = listed.get("version") or {}
    return {
        "id": listed["id"],
        "type": entity.value,
        "status": listed.get("status"),
        "title": listed.get("title"),
        "space": {"id": listed.get("spaceId")},
        "history": {
            "createdDate": listed.get("createdAt"),
            "createdBy": {"accountId": listed.get("authorId")},
            "ownedBy": {"accountId": listed.get("ownerId")},
        },
        "version": {
            "number": version.get("number"),
            "when": version.get("createdAt"),
            "by": {"accountId": version.get("authorId")},
            "minorEdit": version.get("minorEdit"),
        },
        "_links": listed.get("_links"),
    }
