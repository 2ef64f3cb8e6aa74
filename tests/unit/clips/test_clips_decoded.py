"""A clip is counted: what is not what was asked for is refused, and says whose fault it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.clips import decoded
from windrow.clips.asked import Asked
from windrow.clips.cutting import Cutting
from windrow.clips.decoded import Decoded, Tally
from windrow.clips.probe import Probed
from windrow.contracts.errors import Code, Fatal

STEADY = Probed(320, 180, 25.0, steady=True, duration=None, audio=False)
UNEVEN = Probed(320, 180, 8.0, steady=False, duration=None, audio=False)
ASKED = Asked(source="object:a", start=2, end=4)

LISTING = """\
#software: Lavf61.1.100
#tb 0: 1/12800
#media_type 0: video
#codec_id 0: rawvideo
#dimensions 0: 320x180
#tb 1: 1/44100
0,          0,          0,      512,    86400, 0x2b53e3c5
1,          0,          0,     1024,     2048, 0x00000000
0,        512,        512,      512,    86400, 0x1b6ddb0d
0,       1536,       1536,      512,    86400, 0x1b6ddb0d, F=0x0
""".splitlines()


def test_frames_of_the_video_are_counted_and_their_times_read() -> None:
    tally = Tally()
    for line in LISTING:
        tally.take(line)

    assert tally.total() == Decoded(frames=3, begins=0.0, ends=0.16)


def test_an_empty_listing_has_no_frame() -> None:
    assert Tally().total() == Decoded(0, 0.0, 0.0)


@given(st.text())
def test_no_line_upsets_the_count(line: str) -> None:
    tally = Tally()
    tally.take(line)

    assert tally.total().frames <= 1


@pytest.mark.parametrize("frames", [49, 50, 51])
def test_a_clip_that_has_its_frames_is_beyond_doubt(frames: int) -> None:
    assert decoded.doubt(ASKED, STEADY, Decoded(frames, 0.0, 2.0)) is None


@pytest.mark.parametrize(
    ("found", "source"),
    [
        (Decoded(0, 0.0, 0.0), STEADY),
        (Decoded(25, 0.0, 1.0), STEADY),
        (Decoded(25, 1.0, 2.0), STEADY),
        (Decoded(40, 0.0, 2.0), STEADY),
        (Decoded(3, 0.0, 0.4), UNEVEN),
        (Decoded(3, 1.6, 2.0), UNEVEN),
    ],
    ids=["is empty", "ends early", "begins late", "has holes", "uneven, ends early", "uneven, begins late"],
)
def test_a_clip_that_seems_to_lack_something_is_doubted(found: Decoded, source: Probed) -> None:
    assert decoded.doubt(ASKED, source, found)


def test_frames_that_come_as_they_like_are_not_counted_against_a_rate() -> None:
    assert decoded.doubt(ASKED, UNEVEN, Decoded(3, 0.5, 2.0)) is None


def listed(*times: tuple[float, float]) -> Tally:
    """A source with frames at these times, each lasting so long, in milliseconds as Matroska counts."""
    tally = Tally(within=ASKED)
    tally.take("#tb 0: 1/1000")
    for shown, lasting in times:
        tally.take(f"0, {shown * 1000:10.0f}, {shown * 1000:10.0f}, {lasting * 1000:8.0f},    500, 0x1")
    return tally


@pytest.mark.parametrize(
    ("source", "resolved"),
    [
        (listed((1.9, 0.1), (2.5, 0.1), (3.0, 0.1), (5.0, 0.1)), True),
        (listed((2.5, 0.1), (3.0, 1.0)), True),
        (listed((2.5, 0.1), (3.0, 0.1)), False),
        (listed((2.5, 0.1), (3.0, 0.1), (3.1, 0.1), (5.0, 0.1)), False),
        (listed((2.4, 0.1), (3.0, 0.1), (5.0, 0.1)), False),
        (listed(), False),
    ],
    ids=["goes on", "lasts to the end", "breaks off", "has one more", "begins elsewhere", "says nothing"],
)
def test_the_sources_own_listing_resolves_a_doubt(source: Tally, resolved: bool) -> None:
    assert decoded.resolves(ASKED, Decoded(2, 0.5, 1.1), source) is resolved


def test_a_frame_that_was_written_and_cannot_be_read_is_our_own_damage() -> None:
    with pytest.raises(Fatal) as refused:
        decoded.check_whole(50, Decoded(49, 0.0, 1.96))

    assert refused.value.code is Code.CORRUPTED


def test_progress_is_read_block_by_block() -> None:
    cutting = Cutting(length=2.0)
    block = ["frame=25", "fps=0.00", "out_time_us=1000000", "total_size=48", "progress=continue"]

    assert [cutting.take(line) for line in block] == [False, False, False, False, True]
    assert (cutting.frames, cutting.percent) == (25, 50.0)


@pytest.mark.parametrize("said", ["N/A", "-23220", "0", "9999999999"])
def test_progress_stays_between_nothing_and_everything(said: str) -> None:
    cutting = Cutting(length=2.0)
    cutting.take(f"out_time_us={said}")

    assert 0 <= cutting.percent <= 100
