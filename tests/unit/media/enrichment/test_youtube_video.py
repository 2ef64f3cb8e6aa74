"""What of YouTube's answer becomes of the snapshot."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.youtube import a_snippet, a_video

from windrow.media.enrichment.youtube.video import snapshot, video
from windrow.media.errors import EnrichmentImpossible
from windrow.media.snapshot import Author, Snapshot, Statistics

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def made(item: dict[str, Any], category: str | None = "Science & Technology") -> Snapshot:
    return snapshot(video(item), category, NOW)


@pytest.mark.req("EV-4", "EV-5")
def test_a_whole_answer_becomes_a_whole_snapshot() -> None:
    assert made(a_video()) == Snapshot(
        provider="youtube",
        media_id="oBM7DIeMsP0",
        title="A conversation about compilers: in full",
        description="Two people talk.\nMore at https://example.org/talks",
        duration_seconds=3233.0,
        author=Author(
            name="Compilers Weekly",
            channel_id="UCb--64Gl51jIEVE-GLDAVTg",
            url="https://www.youtube.com/channel/UCb--64Gl51jIEVE-GLDAVTg",
        ),
        categories=("Science & Technology",),
        published_at=datetime(2025, 9, 24, 17, 6, 7, tzinfo=UTC),
        keywords=("compilers", "languages"),
        live="none",
        language="en-GB",
        thumbnail_url="https://i.ytimg.com/vi/oBM7DIeMsP0/maxresdefault.jpg",
        statistics=Statistics(views=1234567, likes=9876, comments=321),
        fetched_at=NOW,
    )


def test_what_is_hidden_or_left_out_is_not_known() -> None:
    bare = a_snippet(
        tags=None, thumbnails=None, defaultLanguage=None, defaultAudioLanguage=None, categoryId=None, description=""
    )

    found = made(a_video(snippet=bare, statistics={"viewCount": "7"}, status=None), category=None)

    assert found.statistics == Statistics(views=7)
    assert (found.keywords, found.thumbnail_url, found.language, found.categories) == ((), None, None, ())
    assert made(a_video(statistics={})).statistics is None
    assert made(a_video(statistics=None, contentDetails=None)).duration_seconds is None


BEGUN = {"actualStartTime": "2026-01-15T10:00:00Z", "concurrentViewers": "12", "activeLiveChatId": "x"}


@pytest.mark.parametrize(
    ("told", "length", "streaming", "live", "seconds"),
    [
        ("live", "P0D", BEGUN, "live", None),
        ("live", "PT0S", BEGUN, "live", None),
        ("upcoming", "P0D", {"scheduledStartTime": "2026-02-01T10:00:00Z"}, "upcoming", None),
        ("upcoming", "PT10M", {"scheduledStartTime": "2026-02-01T10:00:00Z"}, "upcoming", 600),  # a premiere
        ("none", "P1DT1S", BEGUN | {"actualEndTime": "2026-01-16T10:00:01Z"}, "ended", 86_401),
        ("none", "PT1S", None, "none", 1),
        ("somethingNew", "PT1S", None, "none", 1),
    ],
)
def test_a_broadcast_is_live_to_come_or_over(
    told: str, length: str, streaming: dict[str, str] | None, live: str, seconds: float | None
) -> None:
    found = made(
        a_video(
            snippet=a_snippet(liveBroadcastContent=told),
            contentDetails={"duration": length},
            liveStreamingDetails=streaming,
        )
    )

    assert (found.live, found.duration_seconds) == (live, seconds)


@pytest.mark.parametrize("status", ["deleted", "failed", "rejected"])
def test_a_video_that_youtube_has_given_up_is_not_to_be_had(status: str) -> None:
    with pytest.raises(EnrichmentImpossible, match=status):
        made(a_video(status={"uploadStatus": status}))


@pytest.mark.parametrize(
    ("count", "number"),
    [
        ("0", 0),
        (12, 12),
        ("", None),
        ("-1", None),
        (-1, None),
        (True, None),
        ("1e9", None),
        ("٣", None),
        ("9" * 30, None),
        ([], None),
    ],
)
def test_a_count_is_a_number_or_not_known(count: Any, number: int | None) -> None:
    found = made(a_video(statistics={"viewCount": count, "likeCount": "1"}))

    assert found.statistics == Statistics(views=number, likes=1)


def test_text_can_be_stored_wherever_it_came_from() -> None:
    item = a_video(
        snippet=a_snippet(
            title="a\0b\n\u202ec\ud800", description="one\r\n\0two\udfff", tags=["\0", "x\0"], channelTitle="\ud800"
        )
    )

    written = msgspec.json.encode(made(item)).decode()

    assert "\\u0000" not in written
    assert made(item).title == "ab c?"
    assert made(item).description == "one\r\ntwo?"
    assert made(item).keywords == ("x",)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"id": "oBM7DIeMsP0"},
        a_video(snippet=a_snippet(title=None)),
        a_video(snippet=a_snippet(title="")),
        a_video(snippet=a_snippet(title=7)),
        a_video(snippet=a_snippet(publishedAt="yesterday")),
        a_video(snippet=a_snippet(publishedAt="2026-01-01T00:00:00")),
        a_video(snippet=a_snippet(publishedAt="0001-01-01T00:00:00+14:00")),
        a_video(snippet=a_snippet(tags="compilers")),
        a_video(snippet=[]),
        a_video(contentDetails={"duration": "PT"}),
        a_video(contentDetails={"duration": 12}),
        a_video(liveStreamingDetails={"actualEndTime": 1}),
    ],
)
def test_an_item_of_another_shape_is_refused(item: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        video(item)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["PT1S", "2026-01-01T00:00:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(a_snippet())), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(sorted(a_video()), JSON)), JSON)
def test_no_answer_makes_it_fail_otherwise(parts: dict[str, Any], snippet: Any) -> None:
    for item in (
        parts,
        a_video(**parts),
        a_video(snippet=a_snippet() | snippet if isinstance(snippet, dict) else snippet),
    ):
        try:
            msgspec.json.encode(made(item))
        except (ValueError, EnrichmentImpossible):
            continue
