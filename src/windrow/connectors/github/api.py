"""GitHub's REST API: one request at a time, and answers that say what they mean."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windrow.connectors.context import Context
from windrow.connectors.github import links
from windrow.connectors.github.config import GithubConfig
from windrow.connectors.github.credentials import Installation, Token
from windrow.connectors.github.verdicts import limit, partial, source_time
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, ValidationFailure
from windrow.http import Auth, HttpClient, HttpPolicy, RateLimit, Response
from windrow.http.urls import checked_url, origin_of, shown

# answers to us, beside 200 and 304: nothing of them ends a run
_ANSWERS = frozenset({202, 400, 403, 404, 409, 410, 422, 429, 451})
_VERSION = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
_BURST = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """What GitHub answered: what is there, where it goes on, and when that was by its own clock."""

    status: int
    body: Any
    link: str
    next: str
    etag: str | None
    at: datetime
    partial: bool
    said: str

    @property
    def found(self) -> bool:
        return self.status == 200

    @property
    def same(self) -> bool:
        """Whether nothing has changed since the ETag that was given."""
        return self.status == 304

    @property
    def empty(self) -> bool:
        """Whether it is the answer of a repository without a commit."""
        return self.status == 409

    def records(self, name: str = "") -> list[Any]:
        """The things of a page; some lists are a field of their answer."""
        body = self.body.get(name) if name and isinstance(self.body, dict) else self.body
        if not isinstance(body, list):
            raise ValidationFailure(
                f"{shown(self.link)} is no list", code=Code.INVALID_VALUE, hint="check that base_url is that of the API"
            )
        return body


class Api:
    """Asks for one endpoint. Opened at its first request, closed with the connector."""

    def __init__(self, config: GithubConfig, context: Context, tool: ExecutionTool, client: HttpClient) -> None:
        self._config, self._context, self._tool, self._client = config, context, tool, client
        self._auth: Auth = Installation(config, context, client) if config.app_id else Token(context)
        self._base = checked_url(config.base_url)
        self.asked = 0
        self._moved: set[str] = set()

    async def get(self, link: str, *, etag: str | None = None, what: str = "list") -> Answer:
        """What is at a path of the API (`/repos/…`) or at a link that it gave (path and query from the root).

        Raises for limits, for what is wrong with us (401) and for troubles of the source (5xx, the network).
        """
        self.asked += 1
        response = await self._tool.call(what, lambda: self._sent(link, etag))
        self._same_origin(response)
        now = self._context.now()
        if told := limit(response, now):
            raise told
        if response.redirects:
            self._tell_moved(link, response)
        further = response.links.get("next") if response.status == 200 else None
        return Answer(
            status=response.status,
            body=response.json() if response.status == 200 else None,
            link=link,
            next=links.kept(further, self._config.base_url) if further else "",
            etag=response.etag,
            at=source_time(response.headers, now),
            partial=partial(response),
            said=f"{response.status}: {response.excerpt}",
        )

    def path(self, path: str) -> str:
        """A path of the API from the root of its host, as links have it."""
        return f"{self._base.path.rstrip('/')}{path}"

    def _tell_moved(self, link: str, response: Response) -> None:
        """Once a repository: it is followed whenever it is asked for by its old name, and known by the new one in the next pass."""
        old = "/".join(link.partition("?")[0].removeprefix(self.path("")).split("/")[:4])
        if old not in self._moved:
            self._moved.add(old)
            self._context.say("connector.moved", position=shown(old), to=shown(response.url))

    async def _sent(self, link: str, etag: str | None) -> Response:
        origin = str(self._base.copy_with(path="/", query=None)).rstrip("/")
        return await self._client.get(
            origin + link,
            headers=_VERSION,
            accept=("application/json",),
            accept_status=_ANSWERS,
            etag=etag,
            auth=self._auth,
        )

    def _same_origin(self, response: Response) -> None:
        """Whoever answers in GitHub's place, without our credential, is not GitHub."""
        if origin_of(checked_url(response.url)) != origin_of(self._base):
            raise ValidationFailure(
                f"{shown(self._config.base_url)} redirects to {shown(response.url)}",
                code=Code.REFUSED,
                hint="set base_url to the address that it redirects to, if that is meant",
            )


def policy(config: GithubConfig) -> HttpPolicy:
    """How fast we ask: GitHub's own bound for one account, evenly."""
    rate = RateLimit(config.requests_per_minute, per=timedelta(minutes=1), burst=_BURST)
    return HttpPolicy(source="github", rate=rate)
