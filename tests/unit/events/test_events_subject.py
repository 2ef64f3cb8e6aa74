"""Job and stage are in the object's name, and nothing leads out of the folder."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.events.letters import NotForUs
from windrow.events.subject import QueuedObject, queued_object
from windrow.media.errors import DecodeMessageError
from windrow.media.stage import Stage


@pytest.mark.req("EV-2")
@pytest.mark.parametrize("job_id", ["j", "job-1", "7d444840-9dc0-11d1-b245-5ffdce74fad2", "A_b-9", "a" * 128])
@pytest.mark.parametrize(("prefix", "below"), [("", ""), ("acme", "acme/"), ("acme/media/", "acme/media/")])
def test_the_name_says_which_job_is_queued(job_id: str, prefix: str, below: str) -> None:
    assert queued_object(f"{below}jobs/Queued/{job_id}.json", prefix) == QueuedObject(job_id, Stage.QUEUED)


@pytest.mark.req("EV-2")
@pytest.mark.parametrize(
    "file",
    [
        pytest.param("..json", id="a dot for an id"),
        pytest.param("...json", id="two dots for an id"),
        pytest.param("../x.json", id="out of the folder"),
        pytest.param("../../secrets/x.json", id="far out of the folder"),
        pytest.param("a/../../Processing/x.json", id="out of the folder by a detour"),
        pytest.param("%2e%2e.json", id="dots in disguise"),
        pytest.param("%2e%2e%2fx.json", id="a way out in disguise"),
        pytest.param("a%2fb.json", id="a slash in disguise"),
        pytest.param("a\\b.json", id="a backslash"),
        pytest.param("a\x00.json", id="a NUL"),
        pytest.param("a\n.json", id="a line break"),
        pytest.param("a.json\n", id="a line break behind it"),
        pytest.param("-rf.json", id="a leading dash"),
        pytest.param("_a.json", id="a leading underscore"),
        pytest.param("a" * 129 + ".json", id="129 characters"),
        pytest.param("a" * 300 + ".json", id="300 characters"),
        pytest.param(".json", id="no id"),
        pytest.param("a b.json", id="a blank"),
        pytest.param("a.b.json", id="a dot within"),
        pytest.param("größe.json", id="a letter that is not ASCII"),
        pytest.param("\u0661.json", id="a digit that is not ASCII"),
        pytest.param("nested/a.json", id="a folder within"),
        pytest.param("nested/", id="the marker of a folder within"),
        pytest.param("/a.json", id="an empty folder within"),
        pytest.param("a", id="no ending"),
        pytest.param("a.JSON", id="another ending"),
        pytest.param("a.json.tmp", id="half an upload"),
        pytest.param("a.json/", id="a folder that is called like a job"),
    ],
)
def test_what_could_be_no_job_is_refused(file: str) -> None:
    with pytest.raises(DecodeMessageError):
        queued_object(f"jobs/Queued/{file}")


@pytest.mark.parametrize(
    "name",
    [
        *(f"jobs/{stage}/job-1.json" for stage in Stage if stage is not Stage.QUEUED),
        "jobs/queued/job-1.json",
        "jobs/QueuedX/job-1.json",
        "jobs/Queued",
        "jobs/Queued/",
        "jobs/job-1.json",
        "jobs/../jobs/Queued/job-1.json",
        "jobs%2FQueued%2Fjob-1.json",
        "/jobs/Queued/job-1.json",
        "xjobs/Queued/job-1.json",
        "acme/jobs/Queued/job-1.json",
        "events/job-1/20200423_status_changed.json",
        "results/job-1/clip.mp4",
        "",
    ],
)
def test_what_is_elsewhere_is_for_others(name: str) -> None:
    assert isinstance(queued_object(name), NotForUs)


@pytest.mark.parametrize("name", ["jobs/Queued/a.json", "acmex/jobs/Queued/a.json", "acme/x/jobs/Queued/a.json"])
def test_another_prefix_is_for_others(name: str) -> None:
    assert isinstance(queued_object(name, "acme"), NotForUs)


@pytest.mark.req("EV-2")
@settings(max_examples=50, deadline=None)
@given(st.text(st.sampled_from("ab.-_/%2e\\\0\n~ é")))
def test_whatever_is_taken_for_a_job_stays_in_its_folder(text: str) -> None:
    name = f"jobs/Queued/{text}.json"
    try:
        found = queued_object(name)
    except DecodeMessageError:
        return

    assert isinstance(found, QueuedObject)
    assert name == f"jobs/Queued/{found.job_id}.json"
    assert not set(found.job_id) & set("./\\%\0\n ~é")
