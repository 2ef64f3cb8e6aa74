"""What each refusal of YouTube does: who waits until when, who fails, and what is said of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import Response
from tests.conftest import Said
from tests.fakes import youtube as fake
from tests.fakes.youtube import KEY, FakeYoutube, a_video

from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.contracts.scope import Scope
from windrow.http import HttpPolicy, Timeouts
from windrow.media.enriching import Question
from windrow.media.enrichment import Enrichment
from windrow.media.enrichment.youtube import opened
from windrow.media.errors import EnrichmentDelayed
from windrow.media.job import Media
from windrow.media.snapshot import Snapshot
from windrow.telemetry import bound
from windrow.vault import Secret

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 1, 16, 8, tzinfo=UTC)


class Desk:
    """Asks about the same video again and again, by a clock of its own."""

    def __init__(self, enrichment: Enrichment, at: list[datetime]) -> None:
        self._enrichment, self._at = enrichment, at

    @property
    def now(self) -> datetime:
        return self._at[0]

    @now.setter
    def now(self, at: datetime) -> None:
        self._at[0] = at

    async def asks(self, name: str = "aaaaaaaaaaa") -> Snapshot:
        media = Media(type="youtube", url=f"https://www.youtube.com/watch?v={name}")
        with bound(correlation_id="cause-1"):
            return await self._enrichment.snapshot(Question(Scope("acme", "main"), "job-1", "request-1", media))

    async def refused(self) -> WindrowError:
        with pytest.raises(WindrowError) as told:
            await self.asks()
        return told.value


@pytest.fixture(scope="module")
def server() -> Iterator[FakeYoutube]:
    with FakeYoutube() as made:
        yield made


@pytest.fixture
def youtube(server: FakeYoutube) -> FakeYoutube:
    server.begins_anew()
    server.shows(a_video("aaaaaaaaaaa"))
    return server


async def key() -> Secret:
    return Secret(KEY)


@pytest.fixture
async def desk(youtube: FakeYoutube) -> AsyncIterator[Desk]:
    at = [NOON]
    policy = HttpPolicy(source="youtube", allow=(youtube.door,))
    async with opened(key, base_url=youtube.url, policy=policy, window=0.001, now=lambda: at[0]) as provider:
        yield Desk(Enrichment({"youtube": provider}), at)


def line_of(said: Said) -> dict[str, object]:
    (line,) = said.events("metadata.worker.youtube_fetch_failed")
    ids = {name: line[name] for name in ("job_id", "request_id", "media_type", "correlation_id", "video_id")}
    assert ids == {
        "job_id": "job-1",
        "request_id": "request-1",
        "media_type": "youtube",
        "correlation_id": "cause-1",
        "video_id": "aaaaaaaaaaa",
    }
    return line


@pytest.mark.req("EV-15")
@pytest.mark.parametrize("refusal", [fake.quota_exceeded, fake.daily_limit_exceeded, fake.per_day_exceeded])
async def test_a_quota_that_is_used_up_waits_for_midnight_without_a_request(
    youtube: FakeYoutube, desk: Desk, said: Said, refusal: Callable[[], Response]
) -> None:
    youtube.refuses(refusal())

    first = await desk.refused()
    assert isinstance(first, EnrichmentDelayed)
    assert first.not_before == MIDNIGHT
    assert line_of(said)["not_before"] == MIDNIGHT.isoformat()
    assert said.events("youtube.quota_exhausted")[0]["not_before"] == MIDNIGHT.isoformat()

    # until then everybody is told at once
    desk.now = MIDNIGHT - timedelta(seconds=1)
    others = await asyncio.gather(*(desk.refused() for _ in range(5)))
    assert {one.not_before for one in others if isinstance(one, EnrichmentDelayed)} == {MIDNIGHT}
    assert len(youtube.requests) == 1

    desk.now = MIDNIGHT
    assert (await desk.asks()).media_id == "aaaaaaaaaaa"


async def test_the_quota_is_the_fakes_own(youtube: FakeYoutube, desk: Desk) -> None:
    youtube.units = 2
    await desk.asks()

    assert isinstance(await desk.refused(), EnrichmentDelayed)
    assert len(youtube.requests) == 3


@pytest.mark.req("EV-15")
@pytest.mark.parametrize(
    ("refusal", "least", "most"),
    [
        (fake.rate_limited(), 2.5, 5),
        (fake.rate_limited("90"), 90, 90),
        (fake.user_rate_limited(), 2.5, 5),
        (fake.answered(429, b""), 2.5, 5),
        (fake.rate_limited("999999"), 3600, 3600),
    ],
    ids=["429", "429 with Retry-After", "403", "429 without a word", "429 for days"],
)
async def test_a_limit_on_the_rate_is_waited_out(
    youtube: FakeYoutube, desk: Desk, said: Said, refusal: Response, least: float, most: float
) -> None:
    youtube.refuses(refusal)

    told = await desk.refused()

    assert isinstance(told, EnrichmentDelayed)
    assert told.not_before is not None
    assert least <= (told.not_before - NOON).total_seconds() <= most
    assert said.events("youtube.limited")[0]["not_before"] == line_of(said)["not_before"]
    await desk.refused()
    assert len(youtube.requests) == 1

    desk.now = told.not_before
    assert (await desk.asks()).media_id == "aaaaaaaaaaa"


async def test_a_limit_after_a_request_that_was_served_is_a_first_one(youtube: FakeYoutube, desk: Desk) -> None:
    for _ in range(2):
        youtube.refuses(fake.rate_limited())
        told = await desk.refused()
        assert isinstance(told, EnrichmentDelayed)
        assert told.not_before is not None
        assert told.not_before - desk.now <= timedelta(seconds=5)
        desk.now = told.not_before
        await desk.asks()


@pytest.mark.req("EV-9", "EV-15")
@pytest.mark.parametrize(
    ("refusal", "hint"),
    [
        (fake.key_invalid, "check the YouTube key"),
        (fake.key_invalid_of_old, "check the YouTube key"),
        (fake.access_not_configured, "enable the YouTube Data API v3"),
        (fake.address_blocked, "restricted to other addresses"),
        (fake.service_blocked, "restricted to other APIs"),
        (fake.forbidden, "check the YouTube key"),
    ],
)
async def test_a_wrong_key_is_for_a_person_to_mend(
    youtube: FakeYoutube, desk: Desk, said: Said, refusal: Callable[[], Response], hint: str
) -> None:
    youtube.refuses(refusal())

    told = await desk.refused()

    assert isinstance(told, Fatal)
    assert told.code is Code.CONFIGURATION
    assert told.hint is not None
    assert hint in told.hint
    assert hint in said.events("youtube.key_refused")[0]["hint"]
    assert line_of(said)["error_class"] == "Fatal"
    assert (await desk.asks()).media_id == "aaaaaaaaaaa"


async def test_a_key_that_is_not_believed_twice_is_for_a_person_to_mend(youtube: FakeYoutube, desk: Desk) -> None:
    youtube.refuses(fake.unauthorized(), fake.unauthorized())

    told = await desk.refused()

    assert (type(told), told.code) == (Fatal, Code.CONFIGURATION)


@pytest.mark.req("EV-9", "EV-15")
@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (fake.backend_error(500), Code.UNAVAILABLE),
        (fake.backend_error(503), Code.UNAVAILABLE),
        (fake.answered(502, b"<html>Bad gateway"), Code.UNAVAILABLE),
        (fake.refusal(400, "invalidFilters", "no"), Code.REFUSED),
        (fake.refusal(404, "notFound", "no"), Code.NOT_FOUND),
        (fake.answered(418, b"[]"), Code.REFUSED),
        (Response("<html>Log in", media_type="text/html"), Code.CONTENT_TYPE),
    ],
    ids=["500", "503", "502", "400", "404", "418", "a web page"],
)
async def test_all_else_is_tried_again_later(
    youtube: FakeYoutube, desk: Desk, said: Said, refusal: Response, code: Code
) -> None:
    youtube.refuses(refusal, refusal, refusal)

    told = await desk.refused()

    assert isinstance(told, EnrichmentDelayed)
    assert (told.code, told.not_before) == (code, None)
    assert (line_of(said)["code"], line_of(said)["error_class"]) == (code, "RetryableTransient")


async def test_a_source_that_says_when_it_is_back_is_left_alone_until_then(youtube: FakeYoutube, desk: Desk) -> None:
    youtube.refuses(fake.refusal(503, "backendError", "Backend Error", headers={"retry-after": "90"}))

    told = await desk.refused()

    assert isinstance(told, EnrichmentDelayed)
    assert told.not_before == NOON + timedelta(seconds=90)
    await desk.refused()
    assert len(youtube.requests) == 1


@pytest.mark.req("EV-15")
async def test_silence_is_tried_again_later(said: Said) -> None:
    brief = Timeouts(connect=5, idle=5, total=0.1, queue=5)
    with FakeYoutube() as silent:
        silent.open.clear()
        policy = HttpPolicy(source="youtube", allow=(silent.door,), timeouts=brief)
        async with opened(key, base_url=silent.url, policy=policy, window=0.001) as provider:
            told = await Desk(Enrichment({"youtube": provider}), [NOON]).refused()

    assert isinstance(told, EnrichmentDelayed)
    assert told.code is Code.TIMEOUT
    assert line_of(said)["code"] == "TIMEOUT"


async def test_nobody_there_is_tried_again_later() -> None:
    policy = HttpPolicy(source="youtube", allow=("127.0.0.1",))
    async with opened(key, base_url="http://127.0.0.1:1/", policy=policy, window=0.001) as provider:
        told = await Desk(Enrichment({"youtube": provider}), [NOON]).refused()

    assert isinstance(told, EnrichmentDelayed)
    assert told.code is Code.NETWORK


async def test_a_key_that_is_not_there_is_told_as_such(youtube: FakeYoutube) -> None:
    async def none() -> Secret:
        raise Fatal("there is no key for YouTube", code=Code.CREDENTIAL_MISSING)

    async with opened(none, base_url=youtube.url, window=0.001) as provider:
        told = await Desk(Enrichment({"youtube": provider}), [NOON]).refused()

    assert (type(told), told.code) == (Fatal, Code.CREDENTIAL_MISSING)
    assert youtube.requests == []
