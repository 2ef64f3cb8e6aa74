"""Who may do what with a shared item: a request for each, so only where that is wanted.

Sharing links are told by their kind. The address of one is a key to what it leads to, and is not kept.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any
from urllib.parse import quote

from windrow.connectors.onedrive.graph import Denied, Graph
from windrow.connectors.onedrive.records import Record
from windrow.contracts.identity import canonical

_MOST = 100
# of the 64 KiB that an item may say in all
_ROOM = 32 * 1024
_LONGEST = 256


async def add(graph: Graph, records: list[Record]) -> list[tuple[str, str]]:
    """Have the permissions of these records in them; where they could not be read, why, by the record's path or id."""
    shared = [record for record in records if record.get("shared") and not record.get("gone")]
    # each is sent when the execution tool has room for it
    answers = await _together([_read(graph, record) for record in shared])
    refused: list[tuple[str, str]] = []
    for record, found in zip(shared, answers, strict=True):
        if isinstance(found, Denied):
            record["permissions_unread"] = str(found)
            refused.append((record.get("path") or record["id"], str(found)))
        else:
            record["permissions"] = _told(found)
    return refused


async def _together(reading: list[Coroutine[Any, Any, list[Any] | Denied]]) -> list[list[Any] | Denied]:
    """All of them, or the first failure when the others have ended.

    No TaskGroup: on Python 3.11 one whose task fails leaves the task around it marked as cancelled, and the run would end.
    """
    tasks = [asyncio.ensure_future(each) for each in reading]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(graph: Graph, record: Record) -> list[Any] | Denied:
    drive, key = quote(record["drive"], safe=""), quote(record["id"], safe="")
    return await graph.all(f"/drives/{drive}/items/{key}/permissions", "permissions")


def _told(found: list[Any]) -> list[dict[str, Any]]:
    """Those that the item has of itself, in an order of their own; what its folder gives it, the folder says."""
    own = [_permission(each) for each in found if isinstance(each, dict) and not each.get("inheritedFrom")]
    kept: list[dict[str, Any]] = []
    room = _ROOM
    for each in sorted(own, key=canonical)[:_MOST]:
        room -= len(canonical(each))
        if room < 0:
            break
        kept.append(each)
    return kept


def _permission(said: dict[str, Any]) -> dict[str, Any]:
    link = said.get("link")
    told: dict[str, Any] = {"roles": sorted(_texts(said.get("roles")))}
    if isinstance(link, dict):
        told["link"] = {name: link[name][:_LONGEST] for name in ("type", "scope") if isinstance(link.get(name), str)}
    if people := _people(said):
        told["to"] = people
    if isinstance(until := said.get("expirationDateTime"), str) and not until.startswith("0001"):
        told["until"] = until[:_LONGEST]
    return told


def _people(said: dict[str, Any]) -> list[str]:
    """Those to whom it is granted. The newer field holds what the older one did, and more."""
    several = said.get("grantedToIdentitiesV2") or said.get("grantedToIdentities") or []
    one = said.get("grantedToV2") or said.get("grantedTo")
    found = [*(several if isinstance(several, list) else []), one]
    return sorted({name for each in found if isinstance(each, dict) for name in _names(each)})[:_MOST]


def _names(identities: dict[str, Any]) -> list[str]:
    for kind in ("user", "siteUser", "group", "siteGroup", "application"):
        who = identities.get(kind)
        if isinstance(who, dict) and (name := who.get("email") or who.get("displayName") or who.get("id")):
            return [str(name)[:_LONGEST]]
    return []


def _texts(found: Any) -> list[str]:
    return [text[:_LONGEST] for text in found if isinstance(text, str)] if isinstance(found, list) else []
