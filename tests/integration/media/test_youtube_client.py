"""YouTube asked over HTTP: many videos at a time, each category once, and the key in no line."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from prometheus_client import generate_latest
from tests.conftest import Said, Spans
from tests.fakes.youtube import KEY, FakeYoutube, a_snippet, a_video, answered, backend_error

from windrow.contracts.errors import Code
from windrow.contracts.scope import Scope
from windrow.http import HttpPolicy
from windrow.media.enriching import Question
from windrow.media.enrichment import Enrichment
from windrow.media.enrichment.youtube import Youtube, opened
from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible, UnsupportedMediaTypeError
from windrow.media.job import Media
from windrow.telemetry import bound
from windrow.vault import Secret

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def asking(url: str, kind: str = "youtube", job: str = "job-1") -> Question:
    return Question(Scope("acme", "main"), job, "request-1", Media(type=kind, url=url))


def ids(count: int) -> list[str]:
    return [f"video-{number:05d}" for number in range(count)]


async def key() -> Secret:
    return Secret(KEY)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeYoutube]:
    with FakeYoutube() as fake:
        yield fake


@pytest.fixture
def youtube(server: FakeYoutube) -> FakeYoutube:
    server.begins_anew()
    return server


@pytest.fixture
async def provider(youtube: FakeYoutube) -> AsyncIterator[Youtube]:
    policy = HttpPolicy(source="youtube", allow=(youtube.door,))
    async with opened(key, base_url=youtube.url, policy=policy, now=lambda: NOW) as made:
        yield made


@pytest.mark.req("EV-4")
async def test_a_video_is_enriched_with_all_that_youtube_knows(youtube: FakeYoutube, provider: Youtube) -> None:
    youtube.shows(a_video("dQw4w9WgXcQ"))

    found = await provider.snapshot(asking("https://youtu.be/dQw4w9WgXcQ?t=1"))

    assert (found.title, found.duration_seconds) == ("A conversation about compilers: in full", 3233)
    assert (found.categories, found.keywords) == (("Science & Technology",), ("compilers", "languages"))
    assert found.author is not None
    assert (found.author.name, found.author.channel_id) == ("Compilers Weekly", "UCb--64Gl51jIEVE-GLDAVTg")
    assert (found.published_at, found.fetched_at) == (datetime(2025, 9, 24, 17, 6, 7, tzinfo=UTC), NOW)


async def test_120_questions_at_once_are_three_requests(youtube: FakeYoutube, provider: Youtube) -> None:
    youtube.shows(*map(a_video, ids(120)))

    found = await asyncio.gather(*(provider.snapshot(asking(f"youtube:{one}")) for one in ids(120)))

    assert [one.media_id for one in found] == ids(120)
    assert len(youtube.lists()) == 3
    assert len(youtube.lists("videoCategories")) <= 3


async def test_a_category_is_asked_for_once(youtube: FakeYoutube, provider: Youtube) -> None:
    other = a_snippet(categoryId="27")
    youtube.shows(a_video("aaaaaaaaaaa"), a_video("bbbbbbbbbbb"), a_video("ccccccccccc", snippet=other))

    names = [(await provider.snapshot(asking(f"youtube:{one * 11}"))).categories for one in "abac"]

    assert names == [("Science & Technology",)] * 3 + [("Education",)]
    assert [one.query for one in youtube.lists("videoCategories")] == ["part=snippet&id=28", "part=snippet&id=27"]


@pytest.mark.parametrize("category", ["4711", "nonsense", None])
async def test_a_category_that_nobody_knows_is_left_out(
    youtube: FakeYoutube, provider: Youtube, category: str | None
) -> None:
    unknown = a_snippet(categoryId=category)
    youtube.shows(a_video("aaaaaaaaaaa", snippet=unknown), a_video("bbbbbbbbbbb"))

    found = await asyncio.gather(*(provider.snapshot(asking(f"youtube:{one * 11}")) for one in "ab"))

    assert [one.categories for one in found] == [(), ("Science & Technology",)]


async def test_a_list_of_categories_that_cannot_be_read_makes_nothing_fail(
    youtube: FakeYoutube, provider: Youtube
) -> None:
    youtube.shows(a_video("aaaaaaaaaaa"))
    odd = {"kind": "youtube#videoCategoryListResponse", "items": [7, {"id": []}, {"id": "28", "snippet": "?"}]}
    bodies = [{"items": []}, odd]
    youtube.before = lambda asked: answered(200, bodies.pop(0)) if "Categories" in asked.url.path else None

    with pytest.raises(EnrichmentDelayed, match="is no youtube#videoCategoryListResponse"):
        await provider.snapshot(asking("youtube:aaaaaaaaaaa"))
    assert (await provider.snapshot(asking("youtube:aaaaaaaaaaa"))).categories == ()


@pytest.mark.req("EV-9")
async def test_one_that_is_missing_or_private_is_fatal_and_its_neighbours_are_not(
    youtube: FakeYoutube, provider: Youtube
) -> None:
    youtube.shows(a_video("aaaaaaaaaaa"), a_video("ppppppppppp", status={"privacyStatus": "private"}))

    found = await asyncio.gather(
        *(provider.snapshot(asking(f"youtube:{one * 11}")) for one in "apm"), return_exceptions=True
    )

    assert len(youtube.lists()) == 1
    assert [type(one).__name__ for one in found] == ["Snapshot", "EnrichmentImpossible", "EnrichmentImpossible"]
    assert str(found[2]) == "video mmmmmmmmmmm is missing or private"


async def test_an_address_of_something_else_is_not_asked_about(youtube: FakeYoutube, provider: Youtube) -> None:
    with pytest.raises(EnrichmentImpossible, match="is no address of a YouTube video"):
        await provider.snapshot(asking("https://youtube.com.evil.org/watch?v=dQw4w9WgXcQ"))

    assert youtube.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"items": []}',
        b'{"kind": "youtube#videoListResponse"}',
        b'{"kind": "youtube#videoListResponse", "items": {}}',
        b'{"kind": "youtube#videoListResponse", "items": [null, 7, [], {}, {"id": 7}]}',
        b'{"kind": "youtube#videoListResponse", "items": [{"id": "somebody-el"}]}',
        b'{"kind": "youtube#videoListResponse", "items": [{"id": "aaaaaaaaaaa"}]}',
        b"[" * 100_000,
        b'"\xff"',
    ],
    ids=lambda body: body[:60].decode("latin-1"),
)
async def test_an_answer_that_is_none_is_a_delay(
    youtube: FakeYoutube, provider: Youtube, body: bytes, said: Said
) -> None:
    youtube.refuses(answered(200, body))

    with pytest.raises(EnrichmentDelayed) as told:
        await provider.snapshot(asking("youtube:aaaaaaaaaaa"))

    assert told.value.code is Code.INVALID_VALUE
    assert "\n" not in told.value.message


async def test_one_malformed_item_does_not_spoil_the_others(
    youtube: FakeYoutube, provider: Youtube, said: Said
) -> None:
    youtube.shows(a_video("aaaaaaaaaaa"), a_video("bbbbbbbbbbb", contentDetails={"duration": "an hour"}))

    good, bad = await asyncio.gather(
        *(provider.snapshot(asking(f"youtube:{one * 11}")) for one in "ab"), return_exceptions=True
    )

    assert not isinstance(good, BaseException)
    assert isinstance(bad, EnrichmentDelayed)
    assert "an hour" in said.events("youtube.answer_malformed")[0]["reason"]


async def test_a_hiccup_is_no_failure(youtube: FakeYoutube, provider: Youtube) -> None:
    youtube.shows(a_video("aaaaaaaaaaa"))
    youtube.refuses(backend_error(500))

    assert (await provider.snapshot(asking("youtube:aaaaaaaaaaa"))).media_id == "aaaaaaaaaaa"


async def test_one_who_stops_waiting_does_not_end_the_request_of_the_others(
    youtube: FakeYoutube, provider: Youtube
) -> None:
    youtube.shows(a_video("aaaaaaaaaaa"), a_video("bbbbbbbbbbb"))
    youtube.open.clear()
    first, second = (asyncio.create_task(provider.snapshot(asking(f"youtube:{one * 11}"))) for one in "ab")
    await asyncio.to_thread(youtube.asked.wait)

    first.cancel()
    youtube.open.set()

    assert (await second).media_id == "bbbbbbbbbbb"
    assert len(youtube.lists()) == 1


@pytest.mark.req("EV-11")
async def test_every_line_tells_whose_video_it_is(
    youtube: FakeYoutube, provider: Youtube, said: Said, spans: Spans
) -> None:
    youtube.shows(*map(a_video, ids(2)))
    enrichment = Enrichment({"youtube": provider})

    async def enriched(number: int, url: str) -> Any:
        with bound(correlation_id=f"cause-{number}"):
            return await enrichment.snapshot(asking(url, job=f"job-{number}"))

    urls = [*(f"youtube:{one}" for one in ids(2)), "youtube:mmmmmmmmmmm"]
    await asyncio.gather(*(enriched(number, url) for number, url in enumerate(urls)), return_exceptions=True)

    names = ("start", "success", "failed")
    lines = [line for name in names for line in said.events(f"metadata.worker.youtube_fetch_{name}")]
    assert sorted((line["event"].rpartition("_")[2], line["job_id"]) for line in lines) == [
        ("failed", "job-2"),
        *(("start", f"job-{number}") for number in range(3)),
        *(("success", f"job-{number}") for number in range(2)),
    ]
    for line in lines:
        assert line["correlation_id"] == line["job_id"].replace("job", "cause")
        assert (line["request_id"], line["media_type"], line["tenant_id"]) == ("request-1", "youtube", "acme")
        assert line["event"].endswith("start") or line["duration_ms"] >= 0
    (traced,) = spans.named("youtube.request")[:1]
    assert traced.attributes is not None
    assert (traced.attributes["method"], traced.attributes["ids"]) == ("videos", 3)
    page = generate_latest().decode()
    assert 'metadata_worker_youtube_seconds_count{method="videos"' in page
    assert "metadata_worker_youtube_quota_used" in page


@pytest.mark.req("EV-6")
async def test_a_type_that_nobody_knows_is_unsupported(provider: Youtube) -> None:
    with pytest.raises(UnsupportedMediaTypeError) as told:
        await Enrichment({"youtube": provider}).snapshot(asking("https://vimeo.com/1", kind="vimeo" * 1000))

    assert told.value.hint == "there are: youtube"
    assert len(told.value.message) < 200


async def test_the_key_is_in_no_address_and_in_no_line(
    youtube: FakeYoutube, provider: Youtube, said: Said, spans: Spans
) -> None:
    echo = {"error": {"code": 400, "message": f"bad key {KEY}", "errors": [{"reason": "keyInvalid", "message": KEY}]}}
    youtube.shows(a_video("aaaaaaaaaaa"))
    found: list[Any] = [await provider.snapshot(asking("youtube:aaaaaaaaaaa"))]
    for trouble in (answered(400, echo), answered(200, f'{{"kind": "{KEY}"}}'.encode()), backend_error(404)):
        youtube.refuses(trouble)
        found += await asyncio.gather(provider.snapshot(asking("youtube:bbbbbbbbbbb")), return_exceptions=True)

    told = "".join(f"{one!r} {getattr(one, 'hint', '')}" for one in found)
    traces = "".join(span.to_json() for span in spans.all())
    assert [type(one).__name__ for one in found] == ["Snapshot", "Fatal", "EnrichmentDelayed", "EnrichmentDelayed"]
    assert KEY not in told + "".join(said.raw) + traces
    assert all(KEY not in one.query and one.headers["x-goog-api-key"] == KEY for one in youtube.requests)


async def test_a_key_that_was_rotated_is_picked_up(youtube: FakeYoutube) -> None:
    keys = [Secret("AIza-the-old-one"), Secret(KEY)]

    async def rotated() -> Secret:
        return keys.pop(0) if len(keys) > 1 else keys[0]

    youtube.shows(a_video("aaaaaaaaaaa"))
    policy = HttpPolicy(source="youtube", allow=(youtube.door,))
    async with opened(rotated, base_url=youtube.url, policy=policy) as provider:
        with pytest.raises(Exception, match="API_KEY_INVALID"):
            await provider.snapshot(asking("youtube:aaaaaaaaaaa"))
        assert (await provider.snapshot(asking("youtube:aaaaaaaaaaa"))).media_id == "aaaaaaaaaaa"
