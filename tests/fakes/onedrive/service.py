"""The service: drives and sites behind `/v1.0`, sign-in beside it, and troubles that end by being met."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.onedrive.drive import Drive, Forgotten, NoSuchToken
from tests.fakes.onedrive.login import Login
from tests.fakes.vendor import Vendor

SITE = "acme.example,11111111-aaaa,22222222-bbbb"
_TOKEN = re.compile(r"delta\(token='([^']*)'\)")


@dataclass
class Trouble:
    """An answer that takes the place of the right one."""

    status: int
    code: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None

    def response(self) -> Response:
        if self.body is not None:
            return PlainTextResponse(self.body, status_code=self.status, headers=self.headers)
        return refused(self.status, self.code, headers=self.headers)


@dataclass
class OneDrive(Vendor):
    """Microsoft Graph with some drives. `in_path` writes tokens as `delta(token='…')`, as the documentation also does."""

    login: Login = field(default_factory=Login)
    drives: dict[str, Drive] = field(default_factory=dict)
    in_path: bool = False
    # met by the requests to come, in this order
    troubles: deque[Trouble] = field(default_factory=deque)
    # by the id of an item or a drive: what asking for it is answered with, for as long as it stands here
    denied: dict[str, Trouble] = field(default_factory=dict)
    # what a forgotten token is answered with, and where the answer says to go on
    resync: str = "resyncRequired"
    location: str | None = None
    # a page of another size than was asked for
    most: int = 1000

    def add(self, name: str, key: str = "b!drive-one", kind: str = "documentLibrary") -> Drive:
        """One more drive."""
        with self.lock:
            self.drives[key] = Drive(key, name, kind)
            return self.drives[key]

    def forget(self) -> None:
        """No token that was given out is known any more."""
        with self.lock:
            for drive in self.drives.values():
                drive.life += 1

    @property
    def graph_url(self) -> str:
        return f"{self.base_url}/v1.0"

    @property
    def settings(self) -> dict[str, Any]:
        """What an endpoint needs to reach it."""
        return {
            "directory": self.login.directory,
            "client_id": self.login.client_id,
            "base_url": self.graph_url,
            "login_url": self.base_url,
        }

    def asked(self, part: str) -> list[str]:
        """The requests so far that have this in their path, in one line each."""
        with self.lock:
            return [each.line for each in self.requests if part in each.path]

    def routes(self) -> Sequence[BaseRoute]:
        return [
            Route("/{directory}/oauth2/v2.0/token", self.login.token, methods=["POST"]),
            Route("/v1.0/{rest:path}", self._graph),
        ]

    async def _graph(self, request: Request) -> Response:
        with self.lock:
            answer = self._answer(request, request.path_params["rest"])
        answer.headers["date"] = formatdate(usegmt=True)
        answer.headers["request-id"] = "00000000-0000-0000-0000-000000000000"
        return answer

    def _answer(self, request: Request, rest: str) -> Response:
        if self.troubles:
            return self.troubles.popleft().response()
        if (who := self.login.who(request)) is None:
            challenge = {"www-authenticate": 'Bearer realm="", client_id="00000003-0000-0000-c000-000000000000"'}
            return refused(401, "InvalidAuthenticationToken", headers=challenge)
        if rest == "me/drive":
            return self._mine(who)
        if rest.startswith("sites/"):
            return self._site(rest.removeprefix("sites/"))
        if rest.startswith("users/"):
            return self._described(next(iter(self.drives.values())))
        _, key, *below = rest.split("/", 2)
        return self._in_drive(request, key, below[0] if below else "")

    def _mine(self, who: str) -> Response:
        if who != "user":
            return refused(400, "BadRequest", "/me request is only valid with delegated authentication flow.")
        return self._described(next(iter(self.drives.values())))

    def _site(self, rest: str) -> Response:
        if rest == f"{SITE}/drives":
            return JSONResponse({"value": [_about(drive) for drive in self.drives.values()]})
        if rest in (SITE, "acme.example:/sites/team"):
            return JSONResponse({"id": SITE, "name": "team"})
        return refused(404, "itemNotFound", "Requested site could not be found")

    def _in_drive(self, request: Request, key: str, rest: str) -> Response:
        drive = self.drives.get(key)
        if trouble := self.denied.get(key):
            return trouble.response() if rest else self._described_anyway(key)
        if drive is None:
            return refused(404, "itemNotFound", "The resource could not be found.")
        if not rest:
            return self._described(drive)
        if rest.startswith("root/delta"):
            return self._delta(request, drive, rest)
        if rest.startswith("root:/"):
            return self._by_path(drive, rest.removeprefix("root:"))
        return self._item(drive, rest.removeprefix("items/"))

    def _delta(self, request: Request, drive: Drive, rest: str) -> Response:
        found = _TOKEN.search(rest)
        token = found[1] if found else request.query_params.get("token")
        top = min(int(request.query_params.get("$top", "200")), self.most)
        try:
            if token == "latest":
                items, after, ended = list[dict[str, Any]](), drive.latest(top), True
            else:
                items, after, ended = drive.delta(token, top, request.headers.get("prefer", ""))
        except Forgotten:
            headers = {"location": self.location} if self.location else {}
            return refused(410, self.resync, "Resync required.", headers=headers)
        except NoSuchToken:
            return refused(400, "invalidRequest", "The provided token is not valid.")
        kind = "@odata.deltaLink" if ended else "@odata.nextLink"
        return JSONResponse({"@odata.context": "…", "value": items, kind: self._link(drive, after)})

    def _link(self, drive: Drive, token: str) -> str:
        about = f"{self.graph_url}/drives/{quote(drive.id)}/root/delta"
        return f"{about}(token='{token}')" if self.in_path else f"{about}?token={token}"

    def _by_path(self, drive: Drive, path: str) -> Response:
        for key, node in drive.nodes.items():
            if drive.path(key) == path:
                return JSONResponse(drive.raw(node, delta=False))
        return refused(404, "itemNotFound", "The resource could not be found.")

    def _item(self, drive: Drive, rest: str) -> Response:
        key, _, below = rest.partition("/")
        if trouble := self.denied.get(key):
            return trouble.response()
        if (node := drive.nodes.get(key)) is None:
            return refused(404, "itemNotFound", "The resource could not be found.")
        return JSONResponse(
            {"value": drive.permissions(node)} if below == "permissions" else drive.raw(node, delta=False)
        )

    def _described(self, drive: Drive) -> Response:
        return JSONResponse(_about(drive))

    def _described_anyway(self, key: str) -> Response:
        return self._described(self.drives[key]) if key in self.drives else self.denied[key].response()


def _about(drive: Drive) -> dict[str, Any]:
    return {"id": drive.id, "driveType": drive.kind, "name": drive.name}


def refused(
    status: int, code: str, text: str = "It was refused.", *, headers: dict[str, str] | None = None
) -> Response:
    inner = {"date": "2026-01-05T08:00:00", "request-id": "0", "client-request-id": "0"}
    said = {"error": {"code": code, "message": text, "innerError": inner}}
    return JSONResponse(said, status_code=status, headers=headers)
