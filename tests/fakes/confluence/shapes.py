"""The JSON of both APIs. The older one gives a part only to those who name it in `expand`."""

from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from tests.fakes.confluence.wiki import Content, Space, Wiki

CLOUD, DATA_CENTER = "cloud", "data_center"


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def webui(wiki: Wiki, content: Content) -> str:
    """Where people open it."""
    match content.type:
        case "page":
            return f"/spaces/{content.space}/pages/{content.id}/{quote_plus(content.title)}"
        case "blogpost":
            return f"/spaces/{content.space}/blog/{content.created:%Y/%m/%d}/{content.id}/{quote_plus(content.title)}"
        case _:
            page = wiki.contents[content.at or ""]
            focus = "preview" if content.type == "attachment" else "focusedCommentId"
            return f"/spaces/{content.space}/pages/{page.id}?{focus}={content.id}"


def space_v2(space: Space) -> dict[str, Any]:
    return {
        "id": space.id,
        "key": space.key,
        "name": space.name,
        "type": "global",
        "status": "current",
        "authorId": "557058:author-0",
        "createdAt": stamp(space.created),
        "homepageId": space.home,
        "description": None,
        "_links": {"webui": f"/spaces/{space.key}"},
    }


def space_v1(space: Space, expand: frozenset[str]) -> dict[str, Any]:
    home = {"homepage": {"id": space.home, "type": "page"}} if "homepage" in expand else {}
    return {
        "id": int(space.id),
        "key": space.key,
        "name": space.name,
        "type": "global",
        "status": "current",
        **home,
        "_links": {"webui": f"/spaces/{space.key}"},
    }


def content_v2(wiki: Wiki, content: Content) -> dict[str, Any]:
    container = wiki.contents.get(content.at or "") if content.type == "attachment" else None
    parts: dict[str, Any] = {
        "page": {"parentId": content.at, "parentType": "page" if content.at else None, "position": 7},
        "blogpost": {},
        "attachment": {
            "pageId": content.at if container and container.type == "page" else None,
            "mediaType": content.media,
            "fileSize": content.size,
        },
    }[content.type]
    place = (
        {} if content.type == "attachment" else {"spaceId": wiki.spaces[content.space].id, "ownerId": content.author}
    )
    return {
        "id": content.id,
        "status": content.status,
        "title": content.title,
        **place,
        **parts,
        "authorId": content.author,
        "createdAt": stamp(content.created),
        "version": {
            "number": content.version,
            "createdAt": stamp(content.modified),
            "message": "",
            "minorEdit": False,
            "authorId": content.editor,
        },
        "body": {},
        "_links": {"webui": webui(wiki, content), "tinyui": f"/x/{content.id}"},
    }


def content_v1(wiki: Wiki, content: Content, expand: frozenset[str], edition: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": content.id,
        "type": content.type,
        "status": content.status,
        "title": content.title,
        "extensions": _extensions(content, expand),
        "_links": {"webui": webui(wiki, content), "self": f"…/rest/api/content/{content.id}"},
        "_expandable": {},
    }
    if "space" in expand:
        of = wiki.spaces[content.space]
        made["space"] = {"id": int(of.id), "key": of.key, "name": of.name}
    if "version" in expand:
        made["version"] = {
            "number": content.version,
            "when": stamp(content.modified),
            "by": _person(content.editor, edition),
            "minorEdit": False,
        }
    if "history" in expand:
        made["history"] = {
            "latest": True,
            "createdBy": _person(content.author, edition),
            "createdDate": stamp(content.created),
        }
        if "history.ownedBy" in expand and edition == CLOUD and content.type in ("page", "blogpost"):
            made["history"]["ownedBy"] = _person(content.author, edition)
    if "ancestors" in expand:
        above = wiki.ancestors(content)
        made["ancestors"] = [{"id": each.id, "type": each.type, "title": each.title} for each in above]
    if "container" in expand and content.type in ("comment", "attachment"):
        container = wiki.contents[content.at or ""]
        made["container"] = {"id": container.id, "type": container.type, "title": container.title}
    if "metadata.labels" in expand:
        labels = [{"prefix": prefix, "name": name, "id": "1"} for name, prefix in content.labels.items()]
        made["metadata"] = {"labels": {"results": labels, "start": 0, "limit": 200, "size": len(labels)}}
    if any(each.startswith("restrictions.") for each in expand):
        made["restrictions"] = _restrictions(content, edition)
    return made


def _extensions(content: Content, expand: frozenset[str]) -> dict[str, Any]:
    match content.type:
        case "attachment":
            return {"mediaType": content.media, "fileSize": content.size, "comment": ""}
        case "comment":
            resolution = (
                {"resolution": {"status": "open"}} if content.inline and "extensions.resolution" in expand else {}
            )
            return {"location": "inline" if content.inline else "footer", **resolution}
        case _:
            return {"position": 7}


def _person(account: str, edition: str) -> dict[str, Any]:
    if edition == DATA_CENTER:
        return {"type": "known", "username": account.partition(":")[2], "userKey": f"key-{account[-1]}"}
    return {"type": "known", "accountId": account, "accountType": "atlassian", "publicName": "Somebody"}


def _restrictions(content: Content, edition: str) -> dict[str, Any]:
    users = [_person(each, edition) for each in content.readers]
    groups = [{"type": "group", "name": each} for each in content.groups]
    empty = {"results": [], "size": 0}
    return {
        "read": {"operation": "read", "restrictions": {"user": {"results": users}, "group": {"results": groups}}},
        "update": {"operation": "update", "restrictions": {"user": empty, "group": empty}},
    }
