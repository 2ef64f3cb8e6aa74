"""The server: who asks, what for, and how the answer goes out."""

import base64
import hashlib
import json
import random
import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from tests.fakes.github import people, truth, weather, wire
from tests.fakes.github.pages import Refused, page
from tests.fakes.github.single import single
from tests.fakes.github.state import Account, Repository
from tests.fakes.vendor import Vendor

TOKEN = "ghp_fake0123456789abcdef"
_RESOURCE = re.compile(r"/(?:repos/(?P<owner>[^/]+)/(?P<name>[^/]+)|repositories/(?P<id>\d+))(?P<rest>/.*)?")
_DOCS = "https://docs.github.com/rest"


def error(status: int, message: str, **headers: str) -> Response:
    """As GitHub writes its refusals."""
    body = {"message": message, "documentation_url": _DOCS, "status": str(status)}
    return Response(json.dumps(body), status, headers, media_type="application/json; charset=utf-8")


@dataclass
class GitHub(Vendor):
    """One account, asked with a token (or an App's) that may see all of it, or with none, which sees what is public."""

    connector: str = "github"
    credential: str | None = TOKEN
    login: str = "acme"
    kind: str = "Organization"
    app_key: RSAPublicKey | None = None
    # more configuration of the endpoint
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.account = Account(self.login, self.kind, 4242)
        self.tokens = {TOKEN: datetime.max.replace(tzinfo=UTC)}
        # whose token it is
        self.me = wire.user("octo", 1)
        self.limit, self.remaining = 5000, 5000
        # beyond so many, issues are paged by cursors only
        self.large = 300
        self.tree_limit = 100_000
        # grows when all cursors that were given out run out
        self.generation = 0
        # asked of each request in turn: an answer of its own, or None to let it pass
        self.troubles: deque[Callable[[Request], Response | None]] = deque()
        # paths that are refused whoever asks, with the answer
        self.refusals: dict[str, Callable[[], Response]] = {}
        self.headers: dict[str, str] = {}
        # repositories that the installation may read and that are another's
        self.installed_elsewhere: list[Repository] = []
        # how names that were given up are answered
        self.moved = 301
        self.exchanged = 0

    # what a season asks for

    @property
    def vendor(self) -> Vendor:
        return self

    @property
    def config(self) -> dict[str, Any]:
        return {"owner": self.login, "base_url": self.base_url, "requests_per_minute": 1_000_000, **self.more}

    def change(self, drawn: random.Random) -> None:
        with self.lock:
            people.do_something(self.account, drawn)

    def trouble(self, drawn: random.Random) -> None:
        with self.lock:
            weather.befall(self, drawn)

    def calm(self) -> None:
        with self.lock:
            self.troubles.clear()
            self.refusals.clear()
            self.remaining = self.limit

    def truth(self) -> dict[str, dict[str, Any]]:
        with self.lock:
            return truth.written(self.account)

    def asked(self, status: int | None = None) -> Counter[str]:
        """What was asked for, how often; only what was answered so, if a status is given."""
        with self.lock:
            return Counter(each.line for each in self.requests if status in (None, each.status))

    # the wire

    def routes(self) -> Sequence[BaseRoute]:
        return [Route("/{path:path}", self._answer, methods=["GET", "POST"])]

    async def _answer(self, request: Request) -> Response:
        with self.lock:
            response = self._troubled(request) or self._permitted(request)
            response.headers.setdefault("content-type", "application/json; charset=utf-8")
            response.headers["date"] = self.account.now.strftime("%a, %d %b %Y %H:%M:%S GMT")
            response.headers["x-github-request-id"] = f"{len(self.requests):08X}"
            for name, text in {**self._limits(), **self.headers}.items():
                response.headers.setdefault(name, text)
            return response

    def _limits(self) -> dict[str, str]:
        reset = int((self.account.now + timedelta(minutes=30)).timestamp())
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.remaining),
            "x-ratelimit-reset": str(reset),
            "x-ratelimit-resource": "core",
        }

    def _troubled(self, request: Request) -> Response | None:
        if self.troubles and (response := self.troubles[0](request)) is not None:
            return response
        for path, refusal in self.refusals.items():
            if re.fullmatch(path, request.url.path):
                return refusal()
        return None

    def _permitted(self, request: Request) -> Response:
        scheme, _, proof = request.headers.get("authorization", "").partition(" ")
        if request.method == "POST":
            return self._exchange(request, proof)
        if scheme and (proof not in self.tokens or self.tokens[proof] <= self.account.now):
            return error(401, "Bad credentials")
        if self.remaining <= 0:
            return error(403, f"API rate limit exceeded for user ID {self.me['id']}.")
        response = self._found(request, seeing=bool(proof))
        return self._conditional(request, response)

    def _conditional(self, request: Request, response: Response) -> Response:
        """A 304 costs nothing."""
        if response.status_code == 200:
            tag = f'W/"{hashlib.sha256(bytes(response.body)).hexdigest()}"'
            response.headers["etag"] = tag
            response.headers["cache-control"] = "private, max-age=60, s-maxage=60"
            response.headers["vary"] = "Accept, Authorization, Cookie, X-GitHub-OTP"
            if request.headers.get("if-none-match") == tag:
                return Response(b"", 304, {"etag": tag})
        self.remaining -= 1
        return response

    def _exchange(self, request: Request, proof: str) -> Response:
        installation = re.fullmatch(r"/app/installations/(\d+)/access_tokens", request.url.path)
        if not installation or installation[1] != "77":
            return error(404, "Not Found")
        if not self.app_key or not _is_signed(proof, self.app_key, self.account.now):
            return error(401, "A JSON web token could not be decoded")
        self.exchanged += 1
        token, until = f"ghs_installation{self.exchanged:024d}", self.account.now + timedelta(hours=1)
        self.tokens[token] = until
        return Response(json.dumps({"token": token, "expires_at": wire.moment(until), "permissions": {}}), 201)

    def _found(self, request: Request, *, seeing: bool) -> Response:
        path = request.url.path
        if path.lower() == f"/users/{self.login.lower()}":
            return _json(wire.user(self.account.login, self.account.id, self.account.kind))
        if path == "/user":
            return _json(self.me) if seeing else error(401, "Requires authentication")
        lists = {f"/orgs/{self.login}/repos", f"/users/{self.login}/repos", "/user/repos", "/installation/repositories"}
        if path in lists:
            return self._repositories(request, seeing=seeing)
        if resource := _RESOURCE.fullmatch(path):
            return self._resource(request, resource, seeing=seeing)
        return error(404, "Not Found")

    def _repositories(self, request: Request, *, seeing: bool) -> Response:
        public_only = not seeing or request.url.path.startswith("/users/")
        seen = [each for each in self.account.repositories.values() if not (public_only and each.private)]
        listed = self._page(request, sorted(seen, key=lambda each: (each.created, each.id)), request.url.path)
        if isinstance(listed, Response):
            return listed
        things, link = listed
        payloads = [self._shown(each) for each in things]
        if request.url.path == "/installation/repositories":
            return _json({"total_count": len(seen), "repositories": payloads}, link)
        return _json(payloads, link)

    def _shown(self, repository: Repository) -> dict[str, Any]:
        said = wire.repository(self.account, repository)
        theirs = {"owner": wire.user("other", 4343), "full_name": f"other/{repository.name}"}
        return said | theirs if repository in self.installed_elsewhere else said

    def _resource(self, request: Request, found: re.Match[str], *, seeing: bool) -> Response:
        if found["id"]:
            repository = self.account.repositories.get(int(found["id"]))
        else:
            repository = self.account.named(found["name"]) if found["owner"] == self.account.login else None
            if repository is None and found["name"] in self.account.former:
                return self._moved(request, self.account.former[found["name"]], found["rest"] or "")
        if repository is None or (repository.private and not seeing):
            return error(404, "Not Found")
        rest = (found["rest"] or "").strip("/")
        if not rest:
            return _json(wire.repository(self.account, repository))
        if rest.startswith("compare/"):
            return self._compared(request, repository, rest.removeprefix("compare/"))
        if rest.startswith("git/trees/"):
            return self._tree(repository, rest.removeprefix("git/trees/"))
        if "/" in rest:
            thing = single(self.account, repository, rest)
            return _json(thing) if thing else error(404, "Not Found")
        return self._listed(request, repository, rest)

    def _moved(self, request: Request, number: int, rest: str) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        url = f"{self.base_url}/repositories/{number}{rest}{query}"
        body = {"message": "Moved Permanently", "url": url, "documentation_url": _DOCS}
        return Response(json.dumps(body), self.moved, {"location": url})

    def _listed(self, request: Request, of: Repository, rest: str) -> Response:
        if rest == "commits" and not of.head:
            return error(409, "Git Repository is empty.")
        if rest == "issues" and not of.has_issues:
            return error(410, "Issues has been disabled in this repository.")
        things = self._things(request, of, rest)
        if isinstance(things, Response):
            return things
        listed = self._page(
            request, things, f"/repositories/{of.id}/{rest}", by_cursor=rest == "issues" and len(things) > self.large
        )
        if isinstance(listed, Response):
            return listed
        written: dict[str, Callable[[Any], Any]] = {
            "labels": wire.label,
            "milestones": lambda each: wire.milestone(self.account, of, each),
            "releases": lambda each: wire.release(self.account, of, each),
            "issues": lambda each: wire.issue(self.account, of, each),
            "pulls": lambda each: wire.pull(self.account, of, each),
            "commits": lambda each: wire.commit(self.account, of, each),
        }
        return _json([written[rest](each) for each in listed[0]], listed[1])

    def _things(self, request: Request, of: Repository, rest: str) -> list[Any] | Response:
        asked = request.query_params
        match rest:
            case "labels":
                return sorted(of.labels.values(), key=lambda each: each.name)
            case "releases":
                return sorted(of.releases.values(), key=lambda each: (each.at, each.id), reverse=True)
            case "milestones":
                return [each for each in of.milestones.values() if asked.get("state") in ("all", each.state)]
            case "issues" | "pulls":
                return _discussed(of, rest, asked)
            case "commits":
                return _history(of, asked)
            case _:
                return error(404, "Not Found")

    def _page(
        self, request: Request, things: list[Any], path: str, *, by_cursor: bool = False
    ) -> tuple[list[Any], str] | Response:
        try:
            found, following = page(things, dict(request.query_params), by_cursor=by_cursor, generation=self.generation)
        except Refused as refusal:
            return error(422, str(refusal))
        return found, f'<{self.base_url}{path}?{urlencode(following)}>; rel="next"' if following else ""

    def _compared(self, request: Request, of: Repository, ends: str) -> Response:
        base, _, head = ends.partition("...")
        if base not in of.commits or head not in of.commits:
            return error(404, "Not Found")
        there, here = of.history(base), of.history(head)
        theirs, ours = {each.sha for each in there}, {each.sha for each in here}
        ahead = [each for each in reversed(here) if each.sha not in theirs]
        behind = [each for each in there if each.sha not in ours]
        status = {
            (False, False): "identical",
            (True, False): "ahead",
            (False, True): "behind",
            (True, True): "diverged",
        }
        listed = self._page(request, ahead, f"/repositories/{of.id}/compare/{ends}")
        if isinstance(listed, Response):
            return listed
        body = {
            "status": status[bool(ahead), bool(behind)],
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [wire.commit(self.account, of, each) for each in listed[0]],
            "files": [],
        }
        return _json(body, listed[1])

    def _tree(self, of: Repository, sha: str) -> Response:
        if not of.head:
            return error(409, "Git Repository is empty.")
        if sha not in of.commits:
            return error(404, "Not Found")
        return _json(wire.tree(of.commits[sha], self.tree_limit))


def _discussed(of: Repository, rest: str, asked: Any) -> list[Any]:
    state, since = asked.get("state", "open"), asked.get("since")
    found = [
        each
        for each in of.issues.values()
        if state in ("all", each.state) and (rest == "issues" or each.pull_id is not None)
    ]
    if since and rest == "issues":
        # from the beginning of the epoch on, GitHub finds nothing
        found = (
            []
            if since.startswith("1970-01-01")
            else [one for one in found if (wire.moment(one.updated) or "") >= since]
        )
    by_update = asked.get("sort") == "updated"
    found.sort(
        key=lambda each: (each.updated if by_update else each.created, each.number),
        reverse=asked.get("direction", "desc") == "desc",
    )
    return found


def _history(of: Repository, asked: Any) -> list[Any] | Response:
    wanted = asked.get("sha", of.branch)
    head = of.head if wanted == of.branch else wanted
    if head not in of.commits:
        return error(404, f"No commit found for SHA: {wanted}")
    return [each for each in of.history(head) if (wire.moment(each.at) or "") >= asked.get("since", "")]


def _json(body: Any, link: str = "") -> Response:
    return Response(json.dumps(body), 200, {"link": link} if link else {})


def _is_signed(token: str, key: RSAPublicKey, at: datetime) -> bool:
    try:
        said, _, signature = token.rpartition(".")
        key.verify(_decoded(signature), said.encode(), PKCS1v15(), SHA256())
        claims = json.loads(_decoded(said.split(".")[1]))
        now = at.timestamp()
    except Exception:
        return False
    return bool(claims["iat"] <= now < claims["exp"] <= now + 600 and claims["iss"] == "1234")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
