"""Microsoft Graph as far as we ask it: JSON by path, a page of a delta, and what its refusals mean."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from windrow.connectors.context import Context
from windrow.connectors.onedrive import links
from windrow.connectors.onedrive.config import OneDriveConfig
from windrow.connectors.onedrive.signing import Proof
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.http import HttpPolicy, Response

# one thing cannot be had, and the others can: not ours to see, not there, locked by somebody
PASSED_OVER = frozenset({403, 404, 423})
# codes come in any letter case, and the documented ones are not all
_RESYNC = frozenset(
    {"resyncrequired", "resyncchangesapplydifferences", "resyncchangesuploaddifferences", "syncstatenotfound"}
)
# sharing that an item has of itself, and news of it; asked for only where permissions are
_SHARING = "hierarchicalsharing, deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges"
_MOST_PAGES = 1000
_TOKEN = re.compile(r"/delta\S+")


class Resync(Exception):
    """The source cannot tell what has changed: all of a drive has to be listed again."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A page of changes, and the link behind it; `ended` where that is the one for the next time."""

    items: list[Any]
    link: str
    ended: bool


@dataclass(frozen=True, slots=True)
class Denied:
    """What could not be had, and why."""

    status: int
    code: str

    def __str__(self) -> str:
        return f"{self.status} {self.code}".strip()


class Graph:
    """The source of one endpoint, for as long as its connector is open."""

    def __init__(self, config: OneDriveConfig, context: Context, tool: ExecutionTool) -> None:
        self._config, self._tool = config, tool
        self._http = context.http(HttpPolicy(source="onedrive"))
        self._proof = Proof(config, context, self._http)

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.__aexit__(None, None, None)

    async def read(self, path: str, what: str) -> dict[str, Any]:
        """The object at a path."""
        return _object(await self._get(path, what))

    async def find(self, path: str, what: str) -> dict[str, Any] | Denied:
        """The object at a path, or why it cannot be had."""
        answer = await self._get(path, what, PASSED_OVER)
        return _object(answer) if answer.status == 200 else _denied(answer)

    async def all(self, path: str, what: str) -> list[Any] | Denied:
        """A whole collection, page by page; or why it cannot be had."""
        found: list[Any] = []
        for _ in range(_MOST_PAGES):
            page = await self.find(path, what)
            if isinstance(page, Denied):
                return page
            found += _values(page)
            if not isinstance(link := page.get("@odata.nextLink"), str):
                return found
            path = links.kept(link, self._config.base_url)
        raise ValidationFailure(f"the {what} do not end after {_MOST_PAGES} pages", code=Code.INVALID_VALUE)

    async def delta(self, drive: str, link: str | None, size: int) -> Delta | Denied:
        """What has changed in a drive since a link was given out; without one, all that is there."""
        path = link or f"/drives/{quote(drive, safe='')}/root/delta?$top={size}"
        prefer = {"prefer": _SHARING} if self._config.permissions else {}
        answer = await self._get(path, "delta", {*PASSED_OVER, 400, 410}, prefer)
        if answer.status == 200:
            return self._changes(_object(answer), path)
        denied = _denied(answer)
        # where its Location leads is not asked: it was seen broken, and a path of our own begins anew just as well
        if answer.status == 410 or (link and denied.code.lower() in _RESYNC):
            raise Resync
        if answer.status == 400:
            raise ValidationFailure(
                f"a delta of the drive is refused: {denied}", code=Code.REFUSED, hint="check the drive or the site"
            )
        return denied

    def _changes(self, said: dict[str, Any], path: str) -> Delta:
        following, final = said.get("@odata.nextLink"), said.get("@odata.deltaLink")
        found = following or final
        if not isinstance(found, str):
            raise _malformed("a delta has neither a nextLink nor a deltaLink")
        link = links.kept(found, self._config.base_url)
        if following and link == path:
            raise _malformed("a delta leads back to itself")
        return Delta(_values(said), link, ended=not following)

    async def _get(
        self, path: str, what: str, accepted: Collection[int] = (), headers: dict[str, str] | None = None
    ) -> Response:
        url = links.whole(path, self._config.base_url)
        sent = {"accept": "application/json", **(headers or {})}
        await self._proof.ready(self._tool)
        try:
            return await self._tool.call(
                what, lambda: self._http.get(url, auth=self._proof, accept_status=accepted, headers=sent)
            )
        except WindrowError as error:
            _hide_token(error)
            raise


def _hide_token(error: WindrowError) -> None:
    """Links may have their token in the path, which messages name."""
    error.message = _TOKEN.sub("/delta", error.message)
    error.args = (error.message,)


def _object(answer: Response) -> dict[str, Any]:
    said = answer.json()
    if not isinstance(said, dict):
        raise _malformed("an answer is not an object")
    return said


def _values(page: dict[str, Any]) -> list[Any]:
    found = page.get("value")
    if not isinstance(found, list):
        raise _malformed("a collection has no `value`")
    return found


def _denied(answer: Response) -> Denied:
    """The reason in the vendor's word, as far as there is one."""
    try:
        said = answer.json()
    except ValidationFailure:
        said = None
    error = said.get("error") if isinstance(said, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return Denied(answer.status, code[:60] if isinstance(code, str) and code.isprintable() else "")


def _malformed(message: str) -> ValidationFailure:
    return ValidationFailure(
        message, code=Code.INVALID_VALUE, hint="check that base_url is the address of Microsoft Graph"
    )
