"""What ffmpeg says about a source, understood; and what is refused before any work goes into it."""

import pytest

from windrow.clips import probe
from windrow.clips.asked import Asked
from windrow.clips.limits import ClipLimits
from windrow.clips.probe import Probed
from windrow.contracts.errors import Code, ValidationFailure

FILM = """\
Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'file:film.mp4':
  Metadata:
    major_brand     : isom
    title           : A
                    : Duration: 99:00:00.00
  Duration: 01:02:03.04, start: 0.000000, bitrate: 85 kb/s
  Stream #0:0[0x1](und): Video: h264 (High) (avc1 / 0x31637661), yuv420p(tv, progressive), 1280x720 [SAR 1:1 DAR 16:9], 80 kb/s, 29.97 fps, 29.97 tbr, 30k tbn (default)
    Metadata:
      handler_name    : VideoHandler
  Stream #0:1[0x2](und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 69 kb/s (default)
At least one output file must be specified
"""
SILENT_AND_UNEVEN = """\
Input #0, matroska,webm, from 'film':
  Duration: N/A, start: 0.000000, bitrate: N/A
  Stream #0:0: Video: vp9 (Profile 0), yuv420p(tv), 640x360, SAR 1:1 DAR 16:9, 14.83 fps, 120 tbr, 1k tbn (default)
"""
SONG = """\
Input #0, mp3, from 'song':
  Duration: 00:03:00.00, start: 0.025057, bitrate: 192 kb/s
  Stream #0:0: Audio: mp3 (mp3float), 44100 Hz, stereo, fltp, 192 kb/s
  Stream #0:1: Video: mjpeg (Baseline), yuvj420p(pc), 500x500 [SAR 1:1 DAR 1:1], 90k tbr, 90k tbn (attached pic)
"""


def test_a_film_is_read_from_what_ffmpeg_says() -> None:
    assert probe.read(FILM) == Probed(
        1280, 720, 29.97, steady=True, duration=3723.04, audio=True, codec="h264", title="A"
    )


def test_a_source_need_not_say_how_long_it_is() -> None:
    assert probe.read(SILENT_AND_UNEVEN) == Probed(
        640, 360, 14.83, steady=False, duration=None, audio=False, codec="vp9"
    )


@pytest.mark.parametrize("listing", [SONG, "", "Input #0, mp3, from 'x':\n"], ids=["song", "nothing", "no stream"])
def test_the_cover_of_a_record_is_no_video(listing: str) -> None:
    with pytest.raises(ValidationFailure) as refused:
        probe.read(listing)

    assert refused.value.code is Code.NO_VIDEO


def test_a_films_own_words_cannot_pass_for_what_ffmpeg_says() -> None:
    hostile = FILM.replace(": A\n", ": A\n                    :   Stream #0:0: Video: h264, yuv420p, 1x1, 1 fps\n")

    assert probe.read(hostile).width == 1280


FOUND = Probed(320, 180, 25.0, steady=True, duration=10.0, audio=False)


def verdict(start: float, end: float, found: Probed = FOUND, limits: ClipLimits | None = None) -> Code | None:
    try:
        probe.check(Asked(source="object:a", start=start, end=end), found, limits or ClipLimits())
    except ValidationFailure as error:
        return error.code
    return None


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (0, 10, None),
        (9.9, 10, None),
        (0, 10.05, None),  # a frame more than there is: how long a file is depends on whom you ask
        (0, 10.1, Code.OUT_OF_RANGE),
        (10, 11, Code.OUT_OF_RANGE),
        (99, 100, Code.OUT_OF_RANGE),
    ],
)
@pytest.mark.req("RR-7")
def test_a_stretch_beyond_the_end_is_refused(start: float, end: float, code: Code | None) -> None:
    assert verdict(start, end) is code


def test_a_source_that_does_not_say_how_long_it_is_is_tried() -> None:
    assert verdict(500, 501, probe.read(SILENT_AND_UNEVEN)) is None


@pytest.mark.req("RR-7")
def test_a_picture_larger_than_the_limit_is_refused() -> None:
    assert verdict(0, 1, limits=ClipLimits(pixels=320 * 180 - 1)) is Code.INPUT_TOO_LARGE


def test_a_clip_longer_than_the_limit_is_refused() -> None:
    assert verdict(0, 5, limits=ClipLimits(clip_seconds=4)) is Code.TOO_LARGE
