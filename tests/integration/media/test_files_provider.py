"""Media that are looked into with ffmpeg: a file of this machine, an object of the tenant's, an address."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fakes.web import Web, answer
from tests.integration.clips import films

from windrow.app.probing import FfmpegProber
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.media.enriching import Question
from windrow.media.enrichment import Enrichment, Files
from windrow.media.enrichment.files import named
from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible
from windrow.media.job import Media
from windrow.media.snapshot import Picture, Snapshot
from windrow.objects import Objects, open_objects

SCOPE = Scope("acme", "main")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the operator lets the tenant read: made once."""
    directory = tmp_path_factory.mktemp("shelf")
    films.film(directory / "A plain film.mp4", seconds=2)
    films.film(directory / "named.mkv", "-metadata", "title=A talk: in two\nlines", seconds=1)
    films.ffmpeg("-f", "lavfi", "-i", "sine=duration=1", directory / "sound.mp3")
    (directory / "text.mp4").write_text("no film at all")
    (directory / "empty.mp4").write_bytes(b"")
    return directory


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects(f"file:{tmp_path / 'objects'}")


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as server:
        yield server


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


@pytest.fixture
async def enrichment(objects: Objects, shelf: Path, web: Web, scratch: Path) -> AsyncIterator[Enrichment]:
    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, [f"acme={shelf}"]).path(path)

    async with HttpClient(HttpPolicy(source="media", allow=(web.door,))) as http:
        sources = Sources(objects, http, allowed, ClipLimits(source_bytes=1 << 20))
        yield Enrichment({"file": Files(FfmpegProber(sources, Ffmpeg(find(), sources.limits), scratch))})


def empty(directory: Path) -> bool:
    return not any(directory.iterdir())


async def asked(enrichment: Enrichment, url: str) -> Snapshot:
    return await enrichment.snapshot(Question(SCOPE, "job-1", "request-1", Media(type="file", url=url)))


@pytest.mark.req("EV-4")
async def test_a_file_is_described_by_what_it_is(enrichment: Enrichment, shelf: Path) -> None:
    film = shelf / "A plain film.mp4"

    found = await asked(enrichment, f"file:{film}")

    assert found == Snapshot(
        provider="file",
        title="A plain film",
        duration_seconds=2.0,
        picture=Picture(width=64, height=48, codec="h264", frames_per_second=25.0),
        size_bytes=film.stat().st_size,
        fetched_at=found.fetched_at,
    )


async def test_a_title_of_its_own_comes_before_the_name_of_its_file(enrichment: Enrichment, shelf: Path) -> None:
    assert (await asked(enrichment, f"file:{shelf}/named.mkv")).title == "A talk: in two"


async def test_an_object_and_an_address_are_looked_into_alike(
    enrichment: Enrichment, objects: Objects, shelf: Path, web: Web, scratch: Path
) -> None:
    film = (shelf / "A plain film.mp4").read_bytes()
    await objects.for_tenant("acme").put("talks/one.final.mp4", film)
    web.on("/a%20talk.mp4", answer(200, film, {"content-type": "video/mp4"}))

    stored, fetched = await asyncio.gather(
        asked(enrichment, "object:talks/one.final.mp4"), asked(enrichment, web.url("/a%20talk.mp4"))
    )

    assert (stored.title, fetched.title) == ("one.final", "a talk")
    assert stored.picture == fetched.picture
    assert stored.duration_seconds == fetched.duration_seconds == 2.0
    assert stored.size_bytes == fetched.size_bytes == len(film)
    assert empty(scratch)


@pytest.mark.req("EV-9")
@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:{shelf}/text.mp4", Code.UNREADABLE),
        ("file:{shelf}/empty.mp4", Code.UNREADABLE),
        ("file:{shelf}/sound.mp3", Code.NO_VIDEO),
        ("file:{shelf}/gone.mp4", Code.NOT_FOUND),
        ("file:{shelf}", Code.UNREADABLE),
        ("file:{shelf}/../../../etc/passwd", Code.FORBIDDEN),
        ("file:/etc/passwd", Code.FORBIDDEN),
        ("object:gone", Code.NOT_FOUND),
        ("object:../other/x", Code.INVALID_KEY),
        ("{web}/gone.mp4", Code.NOT_FOUND),
        ("{web}/large.mp4", Code.INPUT_TOO_LARGE),
        ("{web}/secret.mp4", Code.UNAUTHORIZED),
        ("http://169.254.169.254/latest/meta-data", Code.ADDRESS_REFUSED),
        ("https://user:hunter2@example.org/x.mp4", Code.INVALID),
        ("http://[::1", Code.INVALID),
        ("file:relative.mp4", Code.INVALID),
        ("file:/", Code.INVALID),
        ("object:", Code.INVALID),
        ("ftp://example.org/x.mp4", Code.INVALID),
        ("file:/a\nb", Code.INVALID),
        ("", Code.INVALID),
        ("object:" + "x" * 5000, Code.INVALID),
    ],
)
async def test_what_is_no_video_for_this_tenant_never_will_be_one(
    enrichment: Enrichment, shelf: Path, web: Web, url: str, code: Code
) -> None:
    web.on("/large.mp4", answer(200, b"x" * (1 << 21)))
    web.on("/secret.mp4", answer(401, b"who are you?"))

    with pytest.raises(EnrichmentImpossible) as told:
        await asked(enrichment, url.replace("{shelf}", str(shelf)).replace("{web}", web.url("")))

    assert told.value.code is code
    assert "\n" not in told.value.message
    assert "hunter2" not in told.value.message


async def test_an_address_that_is_away_is_tried_again_later(enrichment: Enrichment, web: Web) -> None:
    web.on("/busy.mp4", answer(429, b"", {"retry-after": "60"}))

    with pytest.raises(EnrichmentDelayed) as busy:
        await asked(enrichment, web.url("/busy.mp4"))
    assert busy.value.not_before is None, "how long a stranger wants us to wait is no reason to try for ever"
    assert busy.value.code is Code.RATE_LIMITED


async def test_what_the_operator_has_to_mend_stays_the_operators(shelf: Path, objects: Objects, tmp_path: Path) -> None:
    async with HttpClient(HttpPolicy(source="media")) as http:
        sources = Sources(objects, http, lambda _, path: Path(path), ClipLimits())
        files = Files(FfmpegProber(sources, Ffmpeg(tmp_path / "no-ffmpeg-here", sources.limits), tmp_path / "scratch"))
        with pytest.raises(Fatal, match="ffmpeg cannot be run"):
            await asked(Enrichment({"file": files}), f"file:{shelf}/named.mkv")


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("file:/srv/films/My film (final).mp4", "My film (final)"),
        ("object:a/b/c", "c"),
        ("object:.hidden", ".hidden"),
        ("https://example.org/", "example.org"),
        ("https://example.org/a%0Ab%2Fc.mp4?token=x#y", "c"),
        ("https://example.org/d%00e%20f.webm", "de f"),
        ("object:/", "untitled"),
    ],
)
def test_a_title_is_the_name_without_its_ending(source: str, title: str) -> None:
    assert named(source) == title
