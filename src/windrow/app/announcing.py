"""On one machine, nobody else tells the metadata worker of new objects: this does, as Eventarc does for a bucket.

What lies below `jobs/Queued` of the local store is announced once in each of its versions, whoever has put it there, and
again only where the worker said that it may yet go better.
"""

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import msgspec

from windrow.app.background import Background
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope
from windrow.events.notification import FINALIZED, SOURCE, SUBJECT
from windrow.http import HttpClient, HttpPolicy, Timeouts
from windrow.http.headers import Headers
from windrow.media.places import Places
from windrow.media.stage import Stage
from windrow.objects import Listed, Objects
from windrow.objects.local import LocalObjects
from windrow.postgres.patience import keep_on
from windrow.postgres.wakeups import Wakeup
from windrow.settings import Settings
from windrow.telemetry import bound, emit
from windrow.vault import Secret

CHANNEL = "windrow_media_objects"
# whoever drops a file into the folder rings no bell
_POLL = timedelta(seconds=2)
_AGAIN = timedelta(minutes=5).total_seconds()
_SOON = 10.0
_SLACK = 60.0
_REST = 0.05
_AT_ONCE = 16
# so many are remembered; what lies beyond them is seen when those before it have left
_MOST = 20_000

_STRUCTURED = "application/cloudevents+json"


class Finalized(msgspec.Struct, frozen=True, kw_only=True):
    """An object was written, in the words of Google's Cloud Storage."""

    id: str
    source: str
    subject: str
    time: datetime
    data: dict[str, str]
    specversion: str = "1.0"
    type: str = FINALIZED
    datacontenttype: str = "application/json"

    @classmethod
    def of(cls, bucket: str, name: str, listed: Listed) -> "Finalized":
        """The same object in the same version is the same event."""
        about = {"bucket": bucket, "name": name, "etag": listed.etag, "size": str(listed.size)}
        return cls(
            id=f"{name}#{listed.etag}",
            source=SOURCE + bucket,
            subject=SUBJECT + name,
            time=listed.updated.astimezone(UTC),
            data=about,
        )


class Answered(msgspec.Struct, frozen=True):
    """What of the worker's answer matters here."""

    retryable: bool


@dataclass(frozen=True, slots=True)
class Told:
    """Which version was announced, and when it is again, should it still lie there."""

    etag: str
    again: float


@dataclass
class Announcer:
    """Of one machine. `url` is where its metadata worker answers."""

    objects: LocalObjects
    places: Places
    project: str
    http: HttpClient
    url: str
    wakeup: Wakeup
    clock: Callable[[], float] = time.monotonic
    _told: dict[tuple[str, str], Told] = field(default_factory=dict)
    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def run(self) -> None:
        """Until cancelled."""
        with bound(agent="metadata-worker", directive="announce"):
            # a job that takes long holds up no other
            async with asyncio.TaskGroup() as under_way:
                await keep_on(lambda: self._paced(under_way), self.wakeup, _POLL, random.random, _stalled)

    async def look(self, under_way: asyncio.TaskGroup) -> None:
        """Begin to announce what is new; what has left the folder is forgotten."""
        seen: set[tuple[str, str]] = set()
        async for scope, listed in self._queued():
            place = (scope.tenant_id, listed.key)
            seen.add(place)
            known = self._told.get(place)
            if known is None or known.etag != listed.etag or known.again <= self.clock():
                self._told[place] = Told(listed.etag, math.inf)
                under_way.create_task(self._announce(place, scope, listed))
        self._told = {place: known for place, known in self._told.items() if place in seen}

    async def _paced(self, under_way: asyncio.TaskGroup) -> None:
        """Look, and rest: a long folder, or a bell that never stops ringing, takes a fifth of the time at most."""
        begun = time.monotonic()
        await self.look(under_way)
        await asyncio.sleep(max(_REST, 4 * (time.monotonic() - begun)))

    async def _queued(self) -> AsyncIterator[tuple[Scope, Listed]]:
        seen = 0
        # whoever has a bucket keeps nothing here
        for scope in {Scope(tenant, self.project) for tenant in await self.objects.tenants()} - {*self.places.scopes}:
            async for listed in self.objects.for_tenant(scope.tenant_id).list(Stage.QUEUED.folder):
                if (seen := seen + 1) > _MOST:
                    return
                yield scope, listed

    async def _announce(self, place: tuple[str, str], scope: Scope, listed: Listed) -> None:
        try:
            async with self._turns:
                again = _AGAIN if await self._is_retryable(scope, listed) else math.inf
        except WindrowError as error:
            again = _SOON
            _stalled(error, timedelta(seconds=again))
        if place in self._told:
            self._told[place] = Told(listed.etag, self.clock() + again)

    async def _is_retryable(self, scope: Scope, listed: Listed) -> bool:
        """What the worker answered to the event."""
        event = Finalized.of(*self.places.name(scope, listed.key), listed)
        response = await self.http.post(
            self.url, body=msgspec.json.encode(event), headers={"content-type": _STRUCTURED}, idempotent=True
        )
        return msgspec.json.decode(response.body, type=Answered).retryable


class Bearer:
    """The token of this machine: the worker may have to be shown one."""

    def __init__(self, token: Secret) -> None:
        self._token = token

    async def __call__(self, *, refused: bool = False) -> Headers:  # noqa: ARG002 - there is no other
        return {"authorization": Secret(f"Bearer {self._token.reveal()}")}


def announce(
    background: Background,
    settings: Settings,
    objects: Objects,
    places: Places,
    wakeup: Wakeup,
    *,
    url: str,
    token: Secret,
) -> None:
    """Start to announce what lies on this machine; a bucket has others who do."""
    if not isinstance(objects, LocalObjects):
        return
    # an event is answered when its job is dealt with
    longest = settings.media_timeout_sec + _SLACK
    policy = HttpPolicy(
        source="announcer",
        allow=(urlsplit(url).netloc,),
        per_host=_AT_ONCE,
        timeouts=Timeouts(connect=10, idle=longest, total=longest, queue=longest),
    )

    async def run() -> None:
        async with HttpClient(policy, base_url=url, auth=Bearer(token)) as http:
            await Announcer(objects, places, settings.project, http, url, wakeup).run()

    background.start("media.announcer", run)


def _stalled(error: WindrowError, delay: timedelta) -> None:
    emit(
        "media.stalled",
        part="announcer",
        error_class=error.error_class,
        code=error.code,
        error=error,
        retry_in_seconds=delay.total_seconds(),
    )
