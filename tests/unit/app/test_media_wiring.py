"""What the settings and wishes about media mean."""

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from windrow.app.announcing import Finalized as Announcement
from windrow.app.ordering import clip_of
from windrow.app.places import whose
from windrow.cli.media_submit import wish
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.events.envelope import Caller, read
from windrow.events.letters import Finalized
from windrow.media.job import ClipWish, Media, MediaJob, ProcessingJob
from windrow.media.places import Placed
from windrow.media.snapshot import Snapshot
from windrow.media.stage import Stage
from windrow.objects import Listed
from windrow.objects.memory import MemoryObjects
from windrow.settings import Settings

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
SNAPSHOT = Snapshot(provider="file", title="talk", fetched_at=NOW, duration_seconds=7.5)


def job(clip: ClipWish | None, media_type: str = "file", **changes: object) -> MediaJob:
    about = ProcessingJob(
        job_id="j",
        request_id="r",
        status=Stage.METADATA_READY,
        media=Media(type=media_type, url="file:/talk.mp4"),
        created_at=NOW,
        updated_at=NOW,
        clip=clip,
        metadata_snapshot=SNAPSHOT,
    )
    return MediaJob(
        tenant_id="acme",
        project_id="main",
        stage=Stage.METADATA_READY,
        job=msgspec.structs.replace(about, **changes),
        attempts=0,
        moves=2,
        mirrored=2,
        not_before=NOW,
        claimed_until=None,
    )


@pytest.mark.parametrize(
    ("wished", "cut"), [((1, 3), (1, 3)), ((1, 7.5), (1, 7.5)), ((0, 10), (0, 7.5)), ((7, 8), (7, 7.5))]
)
def test_a_clip_ends_where_its_medium_does(wished: tuple[float, float], cut: tuple[float, float]) -> None:
    ordered = clip_of(job(ClipWish(start=wished[0], end=wished[1])), attempts=4)

    assert ordered is not None
    assert ordered.payload.model_dump() == {"source": "file:/talk.mp4", "start": cut[0], "end": cut[1]}
    assert ordered.terms.max_attempts == 4


def test_a_clip_beyond_the_end_is_refused_for_good() -> None:
    with pytest.raises(ValidationFailure) as refused:
        clip_of(job(ClipWish(start=8, end=9)), attempts=3)

    assert refused.value.code is Code.OUT_OF_RANGE


def test_where_the_length_is_not_known_the_cutter_finds_out() -> None:
    unknown = job(ClipWish(start=8, end=9), metadata_snapshot=msgspec.structs.replace(SNAPSHOT, duration_seconds=None))

    assert clip_of(unknown, attempts=3) is not None


def test_nothing_is_cut_that_nobody_wished_for_or_that_is_only_known_elsewhere() -> None:
    assert clip_of(job(None), attempts=3) is None
    assert clip_of(job(ClipWish(start=0, end=1), "youtube"), attempts=3) is None


@pytest.mark.parametrize(
    ("start", "end", "cut", "wished"),
    [
        (None, None, True, (0, 10)),
        (None, None, False, None),
        ("1:02.5", None, True, (62.5, 72.5)),
        (None, "3", True, (0, 3)),
        ("5", "8", False, (5, 8)),
    ],
)
def test_of_what_is_cut_a_preview_is_wished_for_where_nobody_says_more(
    start: str | None, end: str | None, cut: bool, wished: tuple[float, float] | None
) -> None:
    found = wish(start, end, is_cut=cut)

    assert (found and (found.start, found.end)) == wished


def test_words_about_places_tell_whose_buckets_and_subscriptions_are() -> None:
    words = ("s3://talks/below=acme/av", "subscription:jobs=globex")

    named = whose(Settings(media_places=words, project="main"), MemoryObjects())

    assert named.places.find("talks", "below/jobs/Queued/x.json") == Placed(Scope("acme", "av"), "jobs/Queued/x.json")
    assert named.places.find("talks", "above/x.json") is None
    assert named.subscriptions == {"jobs": Scope("globex", "main")}


@pytest.mark.parametrize(
    "words",
    [
        "file:/srv=acme",
        "talks=acme",
        "s3://talks",
        "s3://talks=Not-A-Name",
        "s3://talks=acme s3://talks/=globex",
        "s3://talks=acme s3://films=acme",
        "subscription:jobs=acme subscription:jobs=globex",
    ],
)
def test_words_that_do_not_tell_whose_a_place_is_end_the_start(words: str) -> None:
    with pytest.raises(Fatal) as refused:
        whose(Settings(media_places=tuple(words.split())), MemoryObjects())

    assert refused.value.code is Code.CONFIGURATION


def test_an_announcement_is_read_as_the_event_of_a_cloud_would_be() -> None:
    listed = Listed("jobs/Queued/x.json", 12, "etag-1", NOW)
    said = Announcement.of("windrow", "acme/jobs/Queued/x.json", listed)
    again = Announcement.of("windrow", "acme/jobs/Queued/x.json", listed)
    other = Announcement.of("windrow", "acme/jobs/Queued/x.json", replace(listed, etag="etag-2"))

    envelope = read([(b"content-type", b"application/cloudevents+json")], msgspec.json.encode(said))

    assert envelope.caller is Caller.EVENTARC
    assert envelope.letters == (Finalized("windrow", "acme/jobs/Queued/x.json", None, said.id),)
    assert said == again
    assert said.id != other.id
