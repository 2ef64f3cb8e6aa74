"""Sources that cannot be cut, or must not be: each is refused with its reason."""

import random
from pathlib import Path

import pytest
from tests.integration.clips import films
from tests.integration.clips.test_clips_cut import asked, cut, ignore

from windrow.clips import attest, decoded
from windrow.clips.asked import Asked
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Cut, Ffmpeg, Watch
from windrow.clips.limits import ClipLimits
from windrow.contracts.errors import Code, WindrowError


async def refusal(ffmpeg: Ffmpeg, source: Path, start: float, end: float, into: Path) -> Code:
    """Why all the steps from opening to checking do not lead to a clip."""
    with pytest.raises(WindrowError) as refused:
        await cut(ffmpeg, source, asked(start, end), into)
    return refused.value.code


@pytest.mark.parametrize("content", [b"", b"no film at all\n" * 100, bytes(5000)], ids=["empty", "text", "zeros"])
@pytest.mark.req("RR-7")
async def test_what_is_no_film_is_unreadable(ffmpeg: Ffmpeg, tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "source"
    source.write_bytes(content)

    assert await refusal(ffmpeg, source, 0, 1, tmp_path / "clip.mp4") is Code.UNREADABLE


async def test_sound_alone_is_no_video(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    source = tmp_path / "sound.wav"
    films.ffmpeg("-f", "lavfi", "-i", "sine=duration=1", source)

    assert await refusal(ffmpeg, source, 0, 1, tmp_path / "clip.mp4") is Code.NO_VIDEO


@pytest.mark.parametrize(("start", "end"), [(5, 6), (3, 4.5), (4, 4.1)])
async def test_a_stretch_beyond_the_end_is_out_of_range(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path, start: float, end: float
) -> None:
    assert await refusal(ffmpeg, film, start, end, tmp_path / "clip.mp4") is Code.OUT_OF_RANGE


async def test_ffmpeg_itself_sees_nothing_wrong_in_a_start_beyond_the_end(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path
) -> None:
    """The reason why a clip is counted."""
    written = await ffmpeg.cut(film, asked(100, 101), tmp_path / "clip.mp4", watch=ignore)

    assert written.frames == 0


async def test_a_stretch_between_two_frames_is_out_of_range(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    assert await refusal(ffmpeg, film, 1.01, 1.02, tmp_path / "clip.mp4") is Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    "how", [("-movflags", "+faststart"), ("-movflags", "frag_every_frame+empty_moov")], ids=["whole", "fragmented"]
)
async def test_a_source_that_breaks_off_before_the_end_of_the_clip_is_out_of_range(
    ffmpeg: Ffmpeg, tmp_path: Path, how: tuple[str, ...]
) -> None:
    source = films.film(tmp_path / "film.mp4", *how)
    source.write_bytes(source.read_bytes()[: source.stat().st_size * 6 // 10])

    assert await refusal(ffmpeg, source, 0, 4, tmp_path / "clip.mp4") is Code.OUT_OF_RANGE


async def test_what_a_broken_source_still_has_can_be_cut(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    source = films.film(tmp_path / "film.mp4", "-movflags", "+faststart")
    source.write_bytes(source.read_bytes()[: source.stat().st_size * 6 // 10])

    clip = await cut(ffmpeg, source, asked(0.2, 1), tmp_path / "clip.mp4")

    assert films.frames(clip) == list(range(5, 25))


async def test_a_clip_that_was_cut_short_does_not_pass(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    wish, clip = asked(0, 4), tmp_path / "clip.mp4"
    written = await ffmpeg.cut(film, wish, clip, watch=ignore)
    whole = clip.read_bytes()

    for part in (0.3, 0.7, 0.98):
        clip.write_bytes(whole[: int(len(whole) * part)])
        with pytest.raises(WindrowError) as refused:
            decoded.check_whole(written.frames, await ffmpeg.decode(clip))
        assert refused.value.code is Code.CORRUPTED


class Careless(Ffmpeg):
    """A disk that loses the end of what is written, and nobody notices."""

    async def cut(self, source: Path, asked: Asked, into: Path, *, watch: Watch) -> Cut:
        written = await super().cut(source, asked, into, watch=watch)
        shorter = into.with_name("shorter.mp4")
        films.ffmpeg("-i", into, "-c", "copy", "-frames:v", "10", shorter)
        shorter.replace(into)
        return written


async def test_a_shorter_clip_that_decodes_well_does_not_pass(film: Path, tmp_path: Path) -> None:
    careless = Careless(find(), ClipLimits())

    assert await refusal(careless, film, 0, 4, tmp_path / "clip.mp4") is Code.CORRUPTED


async def test_a_clip_with_a_changed_byte_in_its_pictures_does_not_pass(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path
) -> None:
    clip = await cut(ffmpeg, film, asked(0, 4), tmp_path / "clip.mp4")
    data = bytearray(clip.read_bytes())
    place = data.index(b"mdat") + 4
    data[place : place + 200] = bytes(200)
    clip.write_bytes(data)

    with pytest.raises(WindrowError) as refused:
        await ffmpeg.decode(clip)
    assert refused.value.code is Code.CORRUPTED


async def test_a_single_bit_that_is_not_as_it_was_made_does_not_pass(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path
) -> None:
    clip, drawn = tmp_path / "clip.mp4", random.Random(7)
    written = await ffmpeg.cut(film, asked(0, 4), clip, watch=ignore)
    assert written.attested
    whole = clip.read_bytes()
    pictures = whole.index(b"mdat") + 4
    # what a decoder needs to know beforehand, some of pictures and sound, and the first and the last of their bytes
    for place in (whole.index(b"avcC") + 8, pictures, *drawn.sample(range(pictures, len(whole)), 8), len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << drawn.randrange(8)
        clip.write_bytes(damaged)
        with pytest.raises(WindrowError) as refused:
            attest.check(written.frames, written.attested, (await ffmpeg.read_back(clip))[1])
        assert refused.value.code is Code.CORRUPTED, place


PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{film}\n#EXT-X-ENDLIST\n"
LIST = "ffconcat version 1.0\nfile {film}\n"
MANIFEST = """<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S"
 minBufferTime="PT1S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4">
<Representation id="1" bandwidth="1"><BaseURL>{film}</BaseURL></Representation></AdaptationSet></Period></MPD>"""


@pytest.mark.parametrize("text", [PLAYLIST, LIST, MANIFEST], ids=["playlist", "list", "manifest"])
async def test_a_source_cannot_lead_to_other_files(ffmpeg: Ffmpeg, film: Path, tmp_path: Path, text: str) -> None:
    """A film of somebody else's, named by a source of the author's own."""
    source = tmp_path / "source"
    source.write_text(text.format(film=film))

    assert await refusal(ffmpeg, source, 0, 1, tmp_path / "clip.mp4") is Code.UNREADABLE


@pytest.mark.req("RR-7")
async def test_a_picture_larger_than_the_limit_is_not_decoded(film: Path, tmp_path: Path) -> None:
    strict = Ffmpeg(find(), ClipLimits(pixels=64 * 48 - 1))

    assert await refusal(strict, film, 0, 1, tmp_path / "clip.mp4") in (Code.INPUT_TOO_LARGE, Code.NO_VIDEO)


async def test_a_clip_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    strict = Ffmpeg(find(), ClipLimits(clip_bytes=20_000))
    source = tmp_path / "noise.mkv"
    noise = "nullsrc=s=320x180:r=25:d=2,geq=lum='random(1)*255':cb=128:cr=128"
    films.ffmpeg("-f", "lavfi", "-i", noise, "-c:v", "mpeg4", "-q:v", "5", source)

    assert await refusal(strict, source, 0, 2, tmp_path / "clip.mp4") is Code.TOO_LARGE


async def test_a_full_disk_is_told_as_one(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    clip.symlink_to("/dev/full")

    assert await refusal(ffmpeg, film, 0, 4, clip) is Code.DISK_FULL


async def test_a_cut_that_takes_too_long_is_given_up(film: Path, tmp_path: Path) -> None:
    hasty = Ffmpeg(find(), ClipLimits(cut_seconds=0.001))

    assert await refusal(hasty, film, 0, 4, tmp_path / "clip.mp4") is Code.TIMEOUT
