"""The site as we ask it: one request at a time, each with the source's own time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

from windrow.connectors.confluence.config import ConfluenceConfig
from windrow.connectors.confluence.links import following
from windrow.connectors.confluence.lists import spaces
from windrow.connectors.confluence.proof import Proof
from windrow.connectors.context import Context
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.http import HttpPolicy, RateLimit, Response
from windrow.http.retry_after import http_date

# Atlassian's limits are by cost and not told in advance; this keeps one endpoint from eating a site's budget alone
RATE = RateLimit(50, burst=100)
# "clamped sanely": a site that says hours means that its budget is spent, and gets some of it back all the time
LONGEST_WAIT = timedelta(minutes=10)
# what a source answers when a request is too much for it
TOO_MUCH = frozenset({Code.TOO_LARGE, Code.TIMEOUT, Code.UNAVAILABLE})


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a list: its records, the link to the rest, the address that people use, and when it was given."""

    results: list[Any]
    next: str | None
    site: str
    at: datetime


class Site:
    """Asks one site for lists."""

    def __init__(self, config: ConfluenceConfig, context: Context, tool: ExecutionTool) -> None:
        self._config, self._context, self._tool = config, context, tool
        self._client = context.http(HttpPolicy(source="confluence", rate=RATE, retry_after_ceiling=LONGEST_WAIT))
        self._proof = Proof(context, config.email)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def read(self, what: str, link: str) -> Answer:
        """A part of a list."""
        response, body = await self._get(what, link)
        links = body.get("_links") or {}
        results = body.get("results")
        if not isinstance(results, list) or not isinstance(links, dict):
            raise _no_confluence(self._config.base_url)
        return Answer(
            results=results,
            next=following(links.get("next"), asked=link, base_url=self._config.base_url),
            site=_address(links.get("base")) or self._config.base_url,
            at=http_date(response.headers.get("date")) or self._context.now().replace(microsecond=0),
        )

    async def whoami(self) -> dict[str, Any]:
        """The account that asks; also the cheapest way to learn whether the site answers at all."""
        return (await self._get("whoami", "rest/api/user/current"))[1]

    async def space_ids(self) -> list[str]:
        """The ids of the configured spaces. One that is missing stops the run: its pages would seem to be gone."""
        keys = self._config.spaces
        if not keys:
            return []
        answer = await self.read("spaces", spaces(self._config).link(len(keys)))
        found = {str(each.get("key")): str(each.get("id")) for each in answer.results if isinstance(each, dict)}
        if missing := [key for key in keys if key not in found]:
            raise ValidationFailure(
                f"there is no space {', '.join(missing)}, or this account may not see it",
                code=Code.NOT_FOUND,
                hint="check the keys in `spaces`, and the permissions of the account",
            )
        return [found[key] for key in keys]

    async def _get(self, what: str, link: str) -> tuple[Response, dict[str, Any]]:
        url = f"{self._config.base_url}/{link}"
        response = await self._tool.call(
            what, lambda: self._client.get(url, accept=("application/json",), auth=self._proof)
        )
        _must_know_us(response)
        body = response.json()
        if not isinstance(body, dict):
            raise _no_confluence(self._config.base_url)
        return response, body


def _must_know_us(response: Response) -> None:
    """A credential that is not accepted may be answered as if there was none: with 200, and with what anybody may see."""
    reason = response.headers.get("x-seraph-loginreason", "")
    if "FAILED" in reason or "DENIED" in reason:
        raise Fatal(
            "the site does not accept the credential, and answers as to a stranger",
            code=Code.UNAUTHORIZED,
            hint="check the credential, and `email` where it is an API token",
        )


def _address(base: Any) -> str | None:
    """Where people find the site: told by it, and shown to people, so that it must be an address and nothing else."""
    plain = (
        isinstance(base, str) and base.startswith(("https://", "http://")) and len(base) < 1024 and base.isprintable()
    )
    return str(base).rstrip("/") if plain and " " not in base else None


def _no_confluence(url: str) -> ValidationFailure:
    return ValidationFailure(
        f"{url} does not answer as Confluence does",
        code=Code.INVALID_VALUE,
        hint="check base_url with its context path, and `edition`",
    )
