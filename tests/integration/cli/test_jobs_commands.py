"""`windrow jobs`, as it is typed: what is submitted, what is shown, what is refused."""

import asyncio
import hashlib
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.integration.clips.studio import worked
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree
from windrow.contracts.errors import ValidationFailure
from windrow.jobs.kinds import Kind, Kinds
from windrow.jobs.running import Artifact, Running
from windrow.objects import ObjectStore, open_objects
from windrow.postgres import Database
from windrow.telemetry import log
from windrow.telemetry.declare import Level


class Anything(BaseModel, extra="allow"):
    """Whatever a clip asks for: nothing is cut here."""


CLIP = b"a clip"
Handler = Callable[[Running, Anything], Awaitable[None]]


async def done(running: Running, _: Anything) -> None:
    await running.source_ready()
    await running.progress(50)
    await running.upload(Artifact("results/x/clip.mp4", 1, "0" * 64, {"frames": 1}))


async def making(running: Running, _: Anything) -> None:
    # the scratch of these workers is beside the home of these commands
    objects = store(running.scratch.parents[3])
    await objects.put("results/x/clip.mp4", CLIP)
    await running.upload(Artifact("results/x/clip.mp4", len(CLIP), hashlib.sha256(CLIP).hexdigest()))


def store(directory: Path) -> ObjectStore:
    return open_objects(f"file:{directory / 'home' / 'objects'}").for_tenant("local")


async def failing(_: Running, __: Anything) -> None:
    raise ValidationFailure("this film is not for cutting")


def hush() -> None:
    """A command has let the log speak to its own standard error, which is closed with it."""
    log.configure(format=log.Format.JSON, level=Level.FATAL, write=lambda _: None)


class Desk:
    """Commands at a shell, and a worker next door."""

    def __init__(self, url: str, directory: Path) -> None:
        self._url, self.directory = url, directory

    def types(self, *words: str, given: str | None = None) -> Result:
        return CliRunner().invoke(tree, ["jobs", *words], input=given)

    def answer(self, *words: str, given: str | None = None) -> Any:
        result = self.types(*words, "--json", given=given)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def submits(self, *words: str) -> str:
        job: str = self.answer("submit", "clip", "--source", "object:film", "--start", "1", "--end", "2", *words)["job"]
        return job

    def works(self, handler: Handler) -> None:
        """A worker runs what is queued, and goes."""
        hush()

        async def work() -> None:
            async with Database(self._url, size=4) as database:
                await worked(database, Kinds(Kind("clip", Anything, handler)), self.directory / "scratch")

        asyncio.run(work())


@pytest.fixture
def desk(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Desk]:
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    yield Desk(database_url, tmp_path)
    hush()


def test_a_clip_is_submitted_with_its_options(desk: Desk) -> None:
    job_id = desk.submits("--priority", "5", "--attempts", "2")

    job = desk.answer("show", job_id)
    assert job["payload"] == {"source": "object:film", "start": 1.0, "end": 2.0}
    assert (job["kind"], job["status"], job["priority"], job["max_attempts"]) == ("clip", "queued", 5, 2)


def test_a_clip_is_submitted_as_json(desk: Desk) -> None:
    wish = '{"source": "object:film", "start": "1:00", "end": 61.5}'

    for words, given in ((("--payload", wish), None), (("--payload", "-"), wish)):
        job_id = desk.answer("submit", "clip", *words, given=given)["job"]
        assert desk.answer("show", job_id)["payload"] == {"source": "object:film", "start": 60.0, "end": 61.5}


def test_a_path_is_the_shells(desk: Desk) -> None:
    (desk.directory / "film.mp4").write_bytes(b"a film")

    job_id = desk.answer("submit", "clip", "--source", "film.mp4", "--start", "0", "--end", "1")["job"]

    assert desk.answer("show", job_id)["payload"]["source"] == f"file:{desk.directory}/film.mp4"


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("clip",), "source: Field required; start: Field required; end: Field required"),
        (("clip", "--source", "object:a", "--start", "2", "--end", "1"), "the end (1 s) is not after the start (2 s)"),
        (("clip", "--source", "object:a", "--start", "nan", "--end", "1"), "start: a time is written as"),
        (("clip", "--source", "object:a", "--start", "-1", "--end", "1"), "start: a time is written as"),
        (("clip", "--source", "ftp://a/b", "--start", "0", "--end", "1"), "there is no file 'ftp://a/b' here"),
        (("clip", "--source", "gone.mp4", "--start", "0", "--end", "1"), "there is no file 'gone.mp4' here"),
        (("clip", "--payload", "{"), "the value is not JSON"),
        (("clip", "--payload", "[]"), "the payload is not a JSON object"),
        (("clp", "--payload", "{}"), "there are no jobs of the kind 'clp'"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_told_before_it_is_queued(desk: Desk, words: tuple[str, ...], because: str) -> None:
    result = desk.types("submit", *words)

    assert result.exit_code == 2
    assert because in result.output
    assert "next:" in result.output
    assert desk.answer("list") == []


def test_a_key_keeps_a_job_from_being_there_twice(desk: Desk) -> None:
    first = desk.submits("--key", "one")

    again = desk.answer("submit", "clip", "--source", "object:film", "--start", "1", "--end", "2", "--key", "one")

    assert again == {"job": first, "outcome": "it was there already"}


def test_a_job_for_later_is_scheduled(desk: Desk) -> None:
    job_id = desk.submits("--at", "2099-01-31T12:00:00")

    assert desk.answer("show", job_id)["status"] == "scheduled"


def test_jobs_are_listed_newest_first_by_status_and_page_by_page(desk: Desk) -> None:
    ids = [desk.submits() for _ in range(3)]
    desk.types("cancel", ids[1])

    assert [job["job_id"] for job in desk.answer("list")] == ids[::-1]
    assert [job["job_id"] for job in desk.answer("list", "--status", "cancelled")] == [ids[1]]
    assert [job["job_id"] for job in desk.answer("list", "--limit", "1", "--before", ids[2])] == [ids[1]]


def test_an_empty_list_says_what_to_do(desk: Desk) -> None:
    assert "windrow jobs submit" in desk.types("list").output


def test_a_job_is_shown_with_what_befell_it(desk: Desk) -> None:
    job_id = desk.submits()
    desk.works(done)

    told = desk.types("show", job_id).output
    assert "results/x/clip.mp4" in told
    for event in ("created", "processing", "source:ready", "progress", "uploaded", "done"):
        assert event in told
    assert [event["event"] for event in desk.answer("show", job_id)["events"]][-1] == "done"


def test_a_password_in_a_source_is_not_shown(desk: Desk) -> None:
    source = "https://me:hunter2hunter2@example.org/film.mp4"
    job_id = desk.answer("submit", "clip", "--source", source, "--start", "0", "--end", "1")["job"]

    for told in (desk.types("show", job_id).output, desk.types("list", "--json").output):
        assert "hunter2" not in told


def test_a_failed_job_says_why_and_can_be_tried_again(desk: Desk) -> None:
    job_id = desk.submits()
    desk.works(failing)
    assert "INVALID: this film is not for cutting" in desk.types("list").output

    assert desk.answer("retry", job_id)["status"] == "queued"
    desk.works(done)

    assert desk.answer("show", job_id)["status"] == "done"


def test_a_waiting_job_is_cancelled_at_once(desk: Desk) -> None:
    job_id = desk.submits()

    assert desk.answer("cancel", job_id)["status"] == "cancelled"


@pytest.mark.parametrize("command", ["show", "watch", "cancel", "retry"])
@pytest.mark.parametrize("job_id", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_job_that_is_not_there_is_told_so(desk: Desk, command: str, job_id: str) -> None:
    result = desk.types(command, job_id)

    assert result.exit_code == 2
    assert job_id in result.output
    assert "windrow jobs list" in result.output


@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_a_job_that_is_done_stays_done(desk: Desk, command: str) -> None:
    job_id = desk.submits()
    desk.works(done)

    assert desk.types(command, job_id).exit_code == 3


@pytest.mark.parametrize(("handler", "code"), [(done, 0), (failing, 1)])
def test_watching_ends_with_the_job_and_says_how(desk: Desk, handler: Handler, code: int) -> None:
    job_id = desk.submits()
    desk.works(handler)

    told, lines = desk.types("watch", job_id), desk.types("watch", job_id, "--json")

    assert (told.exit_code, lines.exit_code) == (code, code)
    assert ("INVALID: this film is not for cutting" in told.output) is bool(code)
    assert told.output.splitlines()[0].split()[1] == "created"
    assert json.loads(lines.stdout.splitlines()[-1])["event"] == ("failed" if code else "done")


def test_what_a_job_has_made_is_downloaded(desk: Desk) -> None:
    job_id = desk.submits()
    desk.works(making)

    assert desk.answer("download", job_id, "clip.mp4") == {"job": job_id, "file": "clip.mp4", "size": len(CLIP)}
    assert (desk.directory / "clip.mp4").read_bytes() == CLIP
    again = desk.types("download", job_id, "clip.mp4")
    assert (again.exit_code, "is there already" in again.output) == (3, True)


def test_what_is_not_what_the_job_has_named_is_not_downloaded(desk: Desk) -> None:
    job_id = desk.submits()
    desk.works(making)
    asyncio.run(store(desk.directory).put("results/x/clip.mp4", b"other bytes"))

    result = desk.types("download", job_id, "clip.mp4")

    assert result.exit_code == 5
    assert sorted(path.name for path in desk.directory.glob("*clip*")) == []


def test_of_a_job_that_has_made_nothing_nothing_is_downloaded(desk: Desk) -> None:
    result = desk.types("download", desk.submits(), "clip.mp4")

    assert result.exit_code == 2
    assert "it is queued" in result.output


@pytest.mark.req("RR-9")
def test_what_failed_jobs_left_long_ago_is_removed(desk: Desk) -> None:
    left = desk.directory / "home" / "scratch" / "acme" / "job" / "1"
    left.mkdir(parents=True)
    (left / "source").write_bytes(b"x" * 2048)
    yesterday = time.time() - 25 * 3600
    for path in (left / "source", left):
        os.utime(path, (yesterday, yesterday))

    assert desk.answer("clean-scratch", "--older-than", "26")["directories"] == 0
    assert desk.answer("clean-scratch")["directories"] == 1
    assert not left.exists()


def test_a_lease_without_room_for_a_missed_heartbeat_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE_TIMEOUT_SEC", "5")

    result = desk.types("work")

    assert result.exit_code == 5
    assert "LEASE_TIMEOUT_SEC" in result.output
