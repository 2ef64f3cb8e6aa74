"""A media job and its clip: a small film, made here, so that nothing has to be fetched."""

import asyncio
import subprocess
from pathlib import Path

from windrow.clips.executable import find
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.job import ClipWish, MediaJob
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.postgres import Database

SECONDS = 12
_PATIENCE, _LOOK = 60.0, 0.2


def made(home: Path) -> Path:
    """The film, drawn where it is not there yet."""
    film = home.absolute() / "demo" / "harvest.mp4"
    if not film.exists():
        film.parent.mkdir(parents=True, exist_ok=True)
        _draw(film)
    return film


async def submitted(database: Database, scope: Scope, film: Path, clip: ClipWish, topics: Topics) -> str:
    """Ask for a clip of it; the id of the media job."""
    wished = Submission(media=media_of(film.as_uri()), request_id="demo", clip=clip)
    async with database.tenant(scope.tenant_id) as tx:
        return (await submit(tx, scope, wished, topics=topics)).job.job_id


async def ended(database: Database, scope: Scope, job_id: str) -> MediaJob:
    """The job as it is in the end, or after a minute."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _PATIENCE
    while True:
        async with database.tenant(scope.tenant_id) as tx:
            job = await rows.get(tx, job_id)
        if job.stage.is_final or loop.time() > until:
            return job
        await asyncio.sleep(_LOOK)


def _draw(film: Path) -> None:
    rough = film.with_suffix(".part.mp4")
    picture, sound = f"testsrc2=size=640x360:rate=25:duration={SECONDS}", f"sine=frequency=220:duration={SECONDS}"
    inputs = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound]
    coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest"]
    asked = [str(find()), "-nostdin", "-v", "error", "-y", *inputs, *coding, str(rough)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise Fatal(
            f"ffmpeg cannot make a film: {done.stderr[-200:]}", code=Code.CONFIGURATION, hint="see `windrow doctor`"
        )
    rough.rename(film)
