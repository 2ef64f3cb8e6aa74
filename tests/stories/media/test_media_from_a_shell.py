"""Media jobs as a user meets them: everything on one machine, from a file to its clip."""

import json
from pathlib import Path

import pytest
from tests.integration.clips import films
from tests.stories.conftest import Up

STAGES = ["Queued", "MetadataReady", "Processing", "Completed"]


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films.film(tmp_path_factory.mktemp("films") / "talk.mp4", seconds=4)


def test_a_local_video_is_enriched_clipped_and_shown_with_its_whole_timeline(
    running: Up, film: Path, tmp_path: Path
) -> None:
    machine = running.machine

    followed = machine.run("media", "submit", str(film), "--request-id", "r-7", "--follow", "--json")

    assert followed.returncode == 0, followed.stderr
    lines = [json.loads(line) for line in followed.stdout.splitlines()]
    assert [line["event"] for line in lines if line["of"] == "media"] == STAGES
    job = machine.answer("media", "list", "--stage", "Completed")[0]
    shown = machine.answer("media", "show", job["jobId"])
    assert shown["requestId"] == "r-7"
    assert shown["metadataSnapshot"]["title"] == "talk"
    assert (shown["metadataSnapshot"]["durationSeconds"], shown["metadataVersion"]) == (4.0, 1)
    befell = [one["event"] for one in shown["timeline"]]
    assert {"created", "processing", "source:ready", "uploaded", "done", *STAGES} <= {*befell}
    assert befell[-1] == "Completed"
    own, *changes = shown["objects"]
    assert own == f"windrow/local/jobs/Completed/{job['jobId']}.json"
    assert len(changes) == len(STAGES)
    clip = tmp_path / "clip.mp4"
    assert machine.run("jobs", "download", shown["runtimeJobId"], str(clip)).returncode == 0
    assert films.frames(clip) == list(range(4 * films.RATE)), "all of it, since it is shorter than a preview"


def test_a_failure_is_told_and_can_be_tried_again(running: Up, tmp_path: Path) -> None:
    machine = running.machine
    text = tmp_path / "notes.mp4"
    text.write_text("remember the milk")

    refused = machine.run("media", "submit", str(text), "--follow")
    job = machine.answer("media", "list", "--stage", "Failed")[0]
    too_late = machine.run("media", "cancel", job["jobId"], "--json")
    again = machine.answer("media", "retry", job["jobId"], "--reason", "the disk was full")
    ended = machine.run("media", "show", job["jobId"], "--follow")

    assert (refused.returncode, job["error"]["code"]) == (1, "UNREADABLE")
    assert "UNREADABLE" in refused.stderr
    assert too_late.returncode == 3
    assert again["stage"] == "Queued"
    assert ended.returncode == 1
    assert [line.split()[2] for line in ended.stdout.splitlines()] == ["Queued", "Failed", "Queued", "Failed"]
