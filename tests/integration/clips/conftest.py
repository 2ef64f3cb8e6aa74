"""A film, an ffmpeg to cut it, and a worker that does."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.clips import films
from tests.integration.clips.studio import Studio

from windrow.clips.clip import Clips
from windrow.clips.cutter import Cutter
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.http import HttpClient, HttpPolicy
from windrow.objects import open_objects
from windrow.postgres import Database


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Films that are made once."""
    return tmp_path_factory.mktemp("films")


@pytest.fixture(scope="session")
def film(shelf: Path) -> Path:
    """Four seconds with 25 frames each, and sound."""
    return films.film(shelf / "film.mp4", sound=True)


@pytest.fixture
def ffmpeg() -> Ffmpeg:
    return Ffmpeg(find(), ClipLimits())


@pytest.fixture
async def studio(database: Database, film: Path, tmp_path: Path, ffmpeg: Ffmpeg) -> AsyncIterator[Studio]:
    """A worker whose tenant may read the films of the shelf."""
    objects = open_objects(f"file:{tmp_path / 'objects'}")

    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, [f"acme={film.parent}", f"acme={tmp_path}"]).path(path)

    async with HttpClient(HttpPolicy(source="clip")) as http:
        sources = Sources(objects, http, allowed, ffmpeg.limits)
        yield Studio(database, Clips(objects, sources, Cutter(ffmpeg), ffmpeg.limits), tmp_path / "scratch")
