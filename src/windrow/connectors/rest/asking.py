"""The source is asked: one request at a time, within the limits that it tells, and nowhere but at its own origin."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from windrow.connectors.context import Context
from windrow.connectors.rest.answers import Answer, broken, following, records_of
from windrow.connectors.rest.auth import Proof
from windrow.connectors.rest.cursor import Frame, Journey
from windrow.connectors.rest.definition import Rate
from windrow.connectors.rest.identity import known_as
from windrow.connectors.rest.requests import Api, Request
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import ValidationFailure
from windrow.http import HttpClient, HttpLimited, HttpPolicy, RateLimit, Response, retry_after
from windrow.http.failures import failure
from windrow.http.retry_after import http_date
from windrow.http.urls import shown

_LONGEST_WAIT = timedelta(hours=1)
# another clock than ours is believed so far
_BELIEVED = timedelta(days=1)


class Skipped(ValidationFailure):
    """One list cannot be read, and the definition says to go on without it. `status` is 0 where nobody was asked."""

    status: int = 0


def policy(rate: Rate | None) -> HttpPolicy:
    """How the source's client behaves."""
    pace = RateLimit(rate.requests, timedelta(seconds=rate.seconds), rate.burst) if rate else None
    return HttpPolicy(source="rest", rate=pace)


class Asker:
    """Asks one API."""

    def __init__(self, api: Api, context: Context, client: HttpClient, tool: ExecutionTool) -> None:
        self._api, self._context, self._client, self._tool = api, context, client, tool
        self._proof = Proof(api.definition.auth, api.token_url, context, client)

    async def look(self) -> str:
        """Ask for the first list; what was seen, in words."""
        name = self._api.definition.children(None)[0]
        frame = Frame(stream=name, size=1)
        response = await self._sent(name, self._api.request(frame, None))
        if response.status >= 400 or response.status == HTTPStatus.NO_CONTENT:
            return f"{_skipped(response).message} for {name}"
        count = len(records_of(response, response.json(), self._api.definition.streams[name]))
        return f"{shown(self._api.base_url)} answers; {name} begins with {count} record{'s' if count != 1 else ''}"

    async def ask(self, frame: Frame, journey: Journey) -> Answer:
        """The next part of a list. The first answer of a pass says when it began."""
        request = self._request(frame, journey)
        response = await self._sent(frame.stream, request)
        if journey.begun is None:
            journey.begun = self._clock(response)
        stream = self._api.definition.streams[frame.stream]
        if response.status in stream.skipped:
            raise _skipped(response)
        if response.status == HTTPStatus.NO_CONTENT:
            return Answer([])
        body = response.json()
        records = records_of(response, body, stream)
        token = following(self._api, frame, request, response, body, records)
        if isinstance(token, str) and await self._proof.is_shown_in(token):
            raise broken(f"the next link or cursor of {shown(response.url)} repeats the credential", "pagination")
        in_place = not request.repeats or known_as(self._api, frame, records[:1]) == frame.before
        return Answer(records[request.repeats if in_place else 0 :], token, self._is_calm(response), in_place)

    def _request(self, frame: Frame, journey: Journey) -> Request:
        try:
            return self._api.request(frame, journey.since)
        except ValidationFailure as error:
            if frame.parent is None:
                raise
            raise Skipped(f"{frame.stream} cannot be asked for: {error.message}") from None

    async def _sent(self, stream: str, request: Request) -> Response:
        async def send() -> Response:
            return await self._client.get(
                request.url,
                params={**request.params, **await self._proof.params()},
                headers=self._api.definition.headers,
                accept=("application/json",),
                accept_status=self._own_statuses(stream),
                auth=self._proof.in_headers,
            )

        response = await self._tool.call(stream, send)
        self._api.must_be_home(response.url)
        if (limited := self._limited(response)) is not None:
            raise limited
        if response.status >= 400 and response.status not in self._api.definition.streams[stream].skipped:
            raise failure(response, self._retry_after(response))
        return response

    def _own_statuses(self, stream: str) -> set[int]:
        """The statuses that are judged here, since the definition knows more about them than the client does."""
        limits = self._api.definition.limits
        plain = set() if limits.reset else {429}
        return {*limits.statuses, *self._api.definition.streams[stream].skipped} - plain

    def _limited(self, response: Response) -> HttpLimited | None:
        """Whether the source said that it was asked too often, and how long to wait."""
        limits = self._api.definition.limits
        if response.status not in limits.statuses:
            return None
        left = response.headers.get(limits.remaining or "")
        if response.status != 429 and limits.remaining and left != "0" and "retry-after" not in response.headers:
            return None
        wait = self._retry_after(response)
        return HttpLimited(
            f"{shown(response.url)} answered {response.status}: it was asked too often",
            retry_after=self._reset(response) if wait is None else wait,
        )

    def _retry_after(self, response: Response) -> float | None:
        return retry_after(response.headers.get("retry-after"), self._now(response), _LONGEST_WAIT)

    def _reset(self, response: Response) -> float | None:
        limits = self._api.definition.limits
        said = response.headers.get(limits.reset or "")
        seconds = retry_after(said, self._now(response), timedelta(days=10**6))
        if seconds is not None and limits.reset_as == "epoch":
            seconds -= self._now(response).timestamp()
        return None if seconds is None else min(max(seconds, 0.0), _LONGEST_WAIT.total_seconds())

    def _is_calm(self, response: Response) -> bool:
        return response.headers.get(self._api.definition.limits.remaining or "") != "0"

    def _now(self, response: Response) -> datetime:
        return http_date(response.headers.get("date")) or self._context.now()

    def _clock(self, response: Response) -> datetime:
        """The source's time, to the minute: what is earlier only reads more. One that cannot be is not believed."""
        ours, theirs = self._context.now(), self._now(response)
        believed = theirs if abs(theirs - ours) < _BELIEVED else ours
        return believed.astimezone(UTC).replace(second=0, microsecond=0)


def _skipped(response: Response) -> Skipped:
    passed_over = Skipped(f"{shown(response.url)} answered {response.status}")
    passed_over.status = response.status
    return passed_over
