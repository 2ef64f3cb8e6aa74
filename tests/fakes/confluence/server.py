"""The site as a server: its routes, its pagination, its refusals and its troubles."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.utils import format_datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.confluence import shapes
from tests.fakes.confluence.cql import Unparsable, found
from tests.fakes.confluence.cursors import Cursors, Refused, link
from tests.fakes.confluence.shapes import CLOUD, DATA_CENTER
from tests.fakes.confluence.trouble import Answer, broken
from tests.fakes.confluence.wiki import Content, Wiki
from tests.fakes.vendor import Vendor

# the most that a search gives at a time to somebody who wants it expanded
MOST_EXPANDED = 200
MOST_V2 = 250
_V2 = {"pages": "page", "blogposts": "blogpost", "attachments": "attachment"}
_STATUSES = {
    "pages": {"current", "archived", "deleted", "trashed"},
    "blogposts": {"current", "deleted", "trashed"},
    "attachments": {"current", "archived", "trashed"},
}
_SORTS = {"pages": {"id"}, "blogposts": {"id"}, "attachments": {"created-date"}}


@dataclass
class Confluence(Vendor):
    """A site of either edition. It knows accounts by `email:token` (an API token) or by a bearer token."""

    edition: str = CLOUD
    wiki: Wiki = field(default_factory=Wiki)
    accounts: set[str] = field(default_factory=lambda: {"ada@example.org:api-token-of-ada"})
    bearers: set[str] = field(default_factory=lambda: {"oauth-token-of-ada"})
    # of the account that asks: dates in queries are read in it
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("Europe/Berlin"))
    # answers that stand for the next ones, one request each
    instead: list[Answer] = field(default_factory=list)
    # what happens after so many more requests
    soon: list[list[Any]] = field(default_factory=list)
    # what is too much: a page of a list with more records than this; a record that cannot be rendered
    heaviest: int | None = None
    poison: set[str] = field(default_factory=set)
    # after so many refusals it is not too much any more; None: it always is
    refusals: int | None = None
    # a credential that is refused is answered as a stranger's, not with 401
    to_strangers: bool = False
    # the most that a Data Center gives at a time, whatever is asked for
    most: int = 200
    cursors: Cursors = field(default_factory=Cursors)

    @property
    def context_path(self) -> str:
        return "/wiki" if self.edition == CLOUD else "/confluence"

    @property
    def address(self) -> str:
        """What an endpoint has as its base_url."""
        return self.base_url + self.context_path

    def expire_cursors(self) -> None:
        self.cursors.expire()

    def too_much(self, heaviest: int | None, poison: set[str], refusals: int | None) -> None:
        """From now on, or until so many requests were refused for it."""
        self.heaviest, self.poison, self.refusals = heaviest, poison, refusals

    def routes(self) -> Sequence[BaseRoute]:
        at, older = self.context_path, f"{self.context_path}/rest/api"
        shared = [
            Route(f"{older}/user/current", self._answered(self._whoami)),
            Route(f"{older}/content/search", self._answered(self._search)),
        ]
        if self.edition == DATA_CENTER:
            lists = [("space", self._spaces_v1), ("content", self._contents_v1)]
            return [*shared, *(Route(f"{older}/{name}", self._answered(give)) for name, give in lists)]
        return [
            *shared,
            Route(f"{at}/api/v2/spaces", self._answered(self._spaces_v2)),
            Route(f"{at}/api/v2/{{list}}", self._answered(self._contents_v2)),
        ]

    # ── every request ────────────────────────────────────────────────────────────────────────────────────────────────

    def _answered(self, give: Callable[[Request], Response]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            with self.lock:
                response = self._answer(request, give)
                response.headers["date"] = format_datetime(self.wiki.now(), usegmt=True)
            return response

        return answer

    def _answer(self, request: Request, give: Callable[[Request], Response]) -> Response:
        for due in self.soon:
            due[0] -= 1
        happening, self.soon = [due for due in self.soon if due[0] <= 0], [due for due in self.soon if due[0] > 0]
        for _, happens in happening:
            happens()
        if self.instead:
            return self.instead.pop(0)(request)
        known = self._known(request)
        if not known and not self.to_strangers:
            return JSONResponse(
                {"code": 401, "message": "Unauthorized"}, 401, {"www-authenticate": 'Basic realm="site"'}
            )
        try:
            response = give(request) if known else JSONResponse({"results": [], "type": "anonymous", "_links": {}})
        except (Refused, Unparsable) as refused:
            return self._bad_request(request, str(refused))
        response.headers["x-seraph-loginreason"] = "OK" if known else "AUTHENTICATED_FAILED"
        return response

    def _known(self, request: Request) -> bool:
        kind, _, value = request.headers.get("authorization", "").partition(" ")
        if kind == "Basic":
            return base64.b64decode(value).decode() in self.accounts
        return kind == "Bearer" and value in self.bearers

    def _bad_request(self, request: Request, title: str) -> Response:
        errors = [{"status": 400, "code": "INVALID_REQUEST_PARAMETER", "title": title, "detail": None}]
        if "/api/v2/" in request.url.path:
            return JSONResponse({"errors": errors}, 400)
        data = {"authorized": True, "valid": False, "errors": errors, "successful": False}
        return JSONResponse({"statusCode": 400, "data": data, "message": title}, 400)

    def _too_much(self, limit: int, records: Sequence[Content] = ()) -> Response | None:
        heavy = self.heaviest is not None and limit > self.heaviest
        if self.refusals == 0 or not (heavy or any(each.id in self.poison for each in records)):
            return None
        self.refusals = self.refusals - 1 if self.refusals else None
        return broken(504)(None)

    # ── the newer API ────────────────────────────────────────────────────────────────────────────────────────────────

    def _spaces_v2(self, request: Request) -> Response:
        keys = _listed(request, "keys")
        spaces = [each for each in self.wiki.spaces.values() if not keys or each.key in keys]
        return self._listed_v2(request, spaces, lambda each: [int(each.id)], shapes.space_v2)

    def _contents_v2(self, request: Request) -> Response:
        name = request.path_params["list"]
        if name not in _V2:
            return JSONResponse({"errors": [{"status": 404, "code": "NOT_FOUND", "title": "Not Found"}]}, 404)
        statuses = set(_listed(request, "status") or ["current"])
        if not statuses <= _STATUSES[name] or request.query_params.get("sort") not in {None, *_SORTS[name]}:
            raise Refused("Provided value for 'status' or 'sort' is not the correct type")
        ids = _listed(request, "space-id")
        hits = [
            each
            for each in self.wiki.contents.values()
            if each.type == _V2[name]
            and each.status in statuses
            and (each.status != "current" or self.wiki.visible(each))
            and (not ids or self.wiki.spaces[each.space].id in ids)
        ]
        return self._listed_v2(request, hits, lambda each: [each.number], partial(shapes.content_v2, self.wiki))

    def _listed_v2(
        self,
        request: Request,
        hits: Sequence[Any],
        key: Callable[[Any], list[Any]],
        shape: Callable[[Any], dict[str, Any]],
    ) -> Response:
        limit = _limit(request)
        if not 1 <= limit <= MOST_V2:
            raise Refused(f"Provided value {{{limit}}} for 'limit' is not valid")
        if too_much := self._too_much(limit):
            return too_much
        page, following = self.cursors.page(request, sorted(hits, key=key), key, limit, MOST_V2)
        links = {"base": self.address}
        if following:
            links["next"] = link(request.url.path, following)
        headers = {"link": f'<{links["next"]}>; rel="next"'} if following else None
        return JSONResponse({"results": [shape(each) for each in page], "_links": links}, headers=headers)

    # ── the older API ────────────────────────────────────────────────────────────────────────────────────────────────

    def _whoami(self, _: Request) -> Response:
        who = {"accountId": "557058:ada"} if self.edition == CLOUD else {"username": "ada", "userKey": "key-a"}
        return JSONResponse({"type": "known", **who, "displayName": "Ada"})

    def _search(self, request: Request) -> Response:
        cql, expand, limit = request.query_params.get("cql", ""), _expand(request), _limit(request)
        hits = found(self.wiki, cql, self.zone)
        shape = partial(shapes.content_v1, self.wiki, expand=expand, edition=self.edition)
        if self.edition == DATA_CENTER:
            return self._counted(request, hits, shape)
        by_change = "order by lastmodified" in cql
        page, following = self.cursors.page(
            request, hits, partial(self._place, by_change=by_change), limit, MOST_EXPANDED if expand else 1000
        )
        if too_much := self._too_much(limit, page if expand else ()):
            return too_much
        links = {"base": self.address, "context": self.context_path}
        if following:
            # the cursor stands in the middle, and the path lacks the context
            packed = f"_sa_{following.pop('cursor')}"
            links["next"] = link(
                "/rest/api/content/search", {"next": "true", "cursor": packed, **following, "start": limit}
            )
        return JSONResponse({"results": [shape(each) for each in page], "_links": links})

    def _place(self, content: Content, *, by_change: bool) -> list[Any]:
        moment = self.wiki.modified_by_search(content) if by_change else content.created
        return [moment.isoformat(timespec="microseconds"), content.number]

    def _spaces_v1(self, request: Request) -> Response:
        keys = request.query_params.getlist("spaceKey")
        spaces = [each for each in self.wiki.spaces.values() if not keys or each.key in keys]
        return self._counted(request, spaces, lambda each: shapes.space_v1(each, _expand(request)))

    def _contents_v1(self, request: Request) -> Response:
        wanted, status = request.query_params.get("type", "page"), request.query_params.get("status", "current")
        if wanted not in ("page", "blogpost"):
            raise Refused(f"type {wanted} is not supported")
        hits = [
            each
            for each in sorted(self.wiki.contents.values(), key=lambda each: each.number)
            if each.type == wanted and each.status == status and (status != "current" or self.wiki.visible(each))
        ]
        return self._counted(
            request, hits, lambda each: shapes.content_v1(self.wiki, each, _expand(request), self.edition)
        )

    def _counted(self, request: Request, hits: Sequence[Any], shape: Callable[[Any], dict[str, Any]]) -> Response:
        """By counting. The link to more goes by what was asked for, though fewer may have been given."""
        start, limit = int(request.query_params.get("start", "0")), _limit(request)
        page = list(hits[start : start + min(limit, self.most)])
        if too_much := self._too_much(limit, [each for each in page if isinstance(each, Content)]):
            return too_much
        links = {"base": self.address, "context": self.context_path}
        if start + len(page) < len(hits):
            params = {**request.query_params, "limit": str(limit), "start": str(start + limit)}
            links["next"] = link(request.url.path.removeprefix(self.context_path), params)
        envelope = {"start": start, "limit": min(limit, self.most), "size": len(page), "_links": links}
        return JSONResponse({"results": [shape(each) for each in page], **envelope})


def _limit(request: Request) -> int:
    return int(request.query_params.get("limit", "25"))


def _listed(request: Request, name: str) -> list[str]:
    """An array: with commas, or by repetition."""
    return [part for value in request.query_params.getlist(name) for part in value.split(",") if part]


def _expand(request: Request) -> frozenset[str]:
    """Each name, and what it is a part of."""
    names = [each for each in request.query_params.get("expand", "").split(",") if each]
    return frozenset(part for name in names for part in (name, name.partition(".")[0]))
