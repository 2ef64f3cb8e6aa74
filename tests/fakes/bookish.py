"""The three APIs of docs/how-to/harvest-rest.md, each with habits of its own: a wiki, a tracker, a stock.

They share a clock, which stands still until something changes.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from tests.fakes.vendor import Vendor

Row = dict[str, Any]


def noon(days_ago: int) -> datetime:
    return datetime.now(UTC).replace(second=30, microsecond=0) - timedelta(days=days_ago)


@dataclass
class Bookish(Vendor):
    """A wiki behind a bearer token, a tracker behind a key, a stock behind client credentials: all of them `secret`."""

    secret: str = "client:a-secret-of-the-shop"
    now: datetime = field(default_factory=lambda: noon(0))
    pages: dict[int, Row] = field(default_factory=dict)
    projects: dict[str, Row] = field(default_factory=dict)
    issues: dict[str, dict[int, Row]] = field(default_factory=dict)
    things: dict[str, Row] = field(default_factory=dict)
    # what the stock has given out; those of yesterday are not taken any more
    tokens: set[str] = field(default_factory=set)
    quota: int = 1000

    def __post_init__(self) -> None:
        for number in range(130):
            self.pages[number] = page(number, noon(20) + timedelta(minutes=number))
            self.things[f"sku-{number:03}"] = thing(number, noon(20) + timedelta(minutes=number))
        for number in range(12):
            key = f"P{number}"
            self.projects[key] = {
                "key": key,
                "name": f"Project {number}",
                "archived": number == 5,
                "leads": [{"login": "ada"}, {"login": f"lead{number}"}],
            }
            self.issues[key] = {each: issue(each, noon(9)) for each in range(number * 3 % 17 + 6)}

    def mutate(self) -> None:
        """One of each changes, one of each goes."""
        with self.lock:
            self.now += timedelta(minutes=1)
            self.pages[7] |= {"title": "Seven, revised", "updated_at": self.now.isoformat(), "version": 2}
            self.pages[42] |= {"status": "trashed", "updated_at": self.now.isoformat()}
            self.things["sku-007"] |= {"name": "Lamp, mended", "modified": millis(self.now)}
            del self.things["sku-042"]
            self.issues["P3"][2] |= {"title": "Another title", "updated": self.now.isoformat()}
            del self.issues["P4"][1]

    def routes(self) -> Sequence[BaseRoute]:
        return [
            Route("/wiki/api/pages", self._guarded(self._bearer, self._pages)),
            Route("/tracker/v2/orgs/acme/projects", self._guarded(self._key, self._projects)),
            Route("/tracker/v2/projects/{key}/issues", self._guarded(self._key, self._issues)),
            Route("/stock/oauth/token", self._token, methods=["POST"]),
            Route("/stock/things", self._guarded(self._token_bearer, self._things)),
        ]

    # who may ask

    def _guarded(self, may: Callable[[Request], bool], answer: Callable[[Request], Response]) -> Any:
        def guarded(request: Request) -> Response:
            with self.lock:
                given = answer(request) if may(request) else JSONResponse({"error": "who are you?"}, 401)
                given.headers["date"] = format_datetime(self.now, usegmt=True)
                return given

        return guarded

    def _bearer(self, request: Request) -> bool:
        return request.headers.get("authorization") == f"Bearer {self.secret}"

    def _key(self, request: Request) -> bool:
        return request.headers.get("x-api-key") == self.secret

    def _token_bearer(self, request: Request) -> bool:
        return request.headers.get("authorization", "").removeprefix("Bearer ") in self.tokens

    async def _token(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode())
        proof = request.headers.get("authorization", "").removeprefix("Basic ")
        try:
            known = base64.b64decode(proof).decode() == self.secret
        except (binascii.Error, UnicodeDecodeError):
            known = False
        if not known or form.get("grant_type") != ["client_credentials"] or form.get("scope") != ["stock.read"]:
            return JSONResponse({"error": "invalid_client"}, 400)
        with self.lock:
            self.tokens.add(token := f"token-of-the-stock-{len(self.tokens)}")
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 600})

    # what is answered

    def _pages(self, request: Request) -> Response:
        """Results behind an opaque cursor; the trashed only for those who ask."""
        asked = request.query_params
        since = datetime.fromisoformat(asked["changed_since"]) if "changed_since" in asked else None
        wanted = [
            row
            for row in self.pages.values()
            if (since is None or datetime.fromisoformat(row["updated_at"]) >= since)
            and (row["status"] == "current" or asked.get("include") == "trashed")
        ]
        begin = int(base64.b64decode(asked["cursor"])) if "cursor" in asked else 0
        behind = begin + int(asked.get("limit", 25))
        following = base64.b64encode(str(behind).encode()).decode() if behind < len(wanted) else None
        return JSONResponse({"results": wanted[begin:behind], "next_cursor": following})

    def _projects(self, request: Request) -> Response:
        return self._linked(request, self.projects.values())

    def _issues(self, request: Request) -> Response:
        return self._linked(request, self.issues[request.path_params["key"]].values())

    def _linked(self, request: Request, rows: Iterable[Row]) -> Response:
        """A bare list, and the way to the next part in the Link header."""
        everything, size = list(rows), min(int(request.query_params.get("per_page", 30)), 100)
        begin = int(request.query_params.get("after", 0))
        answer = JSONResponse(everything[begin : begin + size])
        if begin + size < len(everything):
            following = request.url.include_query_params(after=begin + size)
            answer.headers["link"] = f'<{following}>; rel="next", <{request.url}>; rel="self"'
        return answer

    def _things(self, request: Request) -> Response:
        """Counted records, and a quota that is told with each answer."""
        if self.quota <= 0:
            reset = str(int(self.now.timestamp()) + 90)
            return JSONResponse({"error": "quota"}, 403, {"x-quota-left": "0", "x-quota-reset": reset})
        self.quota -= 1
        asked = request.query_params
        rows = [row for row in self.things.values() if row["modified"] >= int(asked.get("modified_after", 0))]
        begin = int(asked.get("offset", 0))
        part = rows[begin : begin + min(int(asked.get("limit", 20)), 200)]
        body = {"data": {"things": part}, "total": len(rows)}
        return JSONResponse(body, headers={"x-quota-left": str(self.quota)})


def page(number: int, updated: datetime) -> Row:
    return {
        "id": number,
        "title": f"Page {number}" if number != 13 else None,
        "space": {"key": f"S{number % 4}"},
        "author": {"name": f"writer{number % 5}"},
        "labels": [{"name": "Guide"}, {"name": "draft"}][: number % 3],
        "version": 1,
        "words": number * 10,
        "status": "current",
        "created_at": updated.isoformat(),
        "updated_at": updated.isoformat(),
        "links": {"web": f"https://wiki.example/{number}"},
    }


def issue(number: int, updated: datetime) -> Row:
    return {
        "number": number,
        "title": f"  Issue {number} ",
        "state": "open" if number % 2 else "closed",
        "labels": ["bug"] if number % 3 else [],
        "votes": number,
        "blocked_by": [number - 1] if number else [],
        "updated": updated.isoformat(),
    }


def thing(number: int, modified: datetime) -> Row:
    return {
        "sku": f"sku-{number:03}",
        "name": f"Lamp {number}",
        "tags": "light, brass" if number % 2 else None,
        "place": {"shelf": f"a{number % 9}"},
        "count": number,
        "modified": millis(modified),
        "part_of": f"sku-{number - 1:03}" if number % 10 == 1 else None,
    }


def millis(at: datetime) -> int:
    return int(at.timestamp() * 1000)


if __name__ == "__main__":
    with Bookish() as shop:
        input(f"{shop.base_url}/wiki/api, …/tracker/v2 and …/stock; the credential is {shop.secret}; Enter ends it ")
