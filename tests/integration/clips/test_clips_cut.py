"""A cut has the frames that were asked for, all of them and no others."""

import asyncio
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.clips import films

from windrow.clips.asked import Asked
from windrow.clips.cutter import Cutter
from windrow.clips.ffmpeg import Ffmpeg


def asked(start: float, end: float) -> Asked:
    return Asked(source="object:film", start=start, end=end)


async def ignore(_: float) -> None: ...


async def cut(ffmpeg: Ffmpeg, source: Path, wish: Asked, into: Path) -> Path:
    """A clip that has passed the check."""
    cutter = Cutter(ffmpeg)
    await cutter.cut(source, await cutter.examine(source, wish), wish, into, watch=ignore)
    return into


def due(start: float, end: float, rate: int = films.RATE) -> list[int]:
    """The frames n of a film with start ≤ n / rate < end."""
    return list(range(math.ceil(round(start * rate, 6)), math.ceil(round(end * rate, 6))))


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 4), (1, 2), (1.5, 3.25), (0.03, 1), (0.01, 1.005), (1.04, 1.08), (3.9, 4), (2.001, 2.1)],
)
async def test_a_clip_has_the_frames_between_start_and_end(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path, start: float, end: float
) -> None:
    clip = await cut(ffmpeg, film, asked(start, end), tmp_path / "clip.mp4")

    assert films.frames(clip) == due(start, end)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("film.mkv", ()),
        ("film.ts", ("-bf", "0")),
        ("film.avi", ("-bf", "0")),
        ("film.mov", ()),
        ("fragmented.mp4", ("-movflags", "frag_keyframe+empty_moov")),
        ("late.mp4", ("-output_ts_offset", "7")),
    ],
)
async def test_the_container_makes_no_difference(
    ffmpeg: Ffmpeg, shelf: Path, tmp_path: Path, name: str, how: tuple[str, ...]
) -> None:
    source = films.film(shelf / name, *how, "-g", "10")

    clip = await cut(ffmpeg, source, asked(1.5, 3.25), tmp_path / "clip.mp4")

    assert films.frames(clip) == due(1.5, 3.25)


async def test_frames_that_come_unevenly_keep_their_times(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    uneven = tmp_path / "uneven.mkv"
    # of every ten frames the first two
    films.ffmpeg(
        "-i", film, "-vf", "select='lt(mod(n,10),2)'", "-fps_mode", "vfr", "-an", "-c:v", "libx264", "-qp", "0", uneven
    )

    clip = await cut(ffmpeg, uneven, asked(0.4, 2.4), tmp_path / "clip.mp4")

    assert films.frames(clip) == [10, 11, 20, 21, 30, 31, 40, 41, 50, 51]
    assert (await ffmpeg.decode(clip)).begins == 0


async def test_an_odd_size_loses_its_last_row_and_column(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    source = tmp_path / "odd.mkv"
    films.ffmpeg("-f", "lavfi", "-i", "testsrc=s=65x49:r=25:d=1", "-c:v", "ffv1", source)

    clip = await cut(ffmpeg, source, asked(0, 1), tmp_path / "clip.mp4")

    assert "64x48" in films.listing(clip)


async def test_sound_is_cut_with_the_picture(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    clip = await cut(ffmpeg, film, asked(1, 2.5), tmp_path / "clip.mp4")

    samples = films.ffmpeg("-i", clip, "-f", "s16le", "-ac", "1", "-ar", "8000", "-")
    assert len(samples) / 2 / 8000 == pytest.approx(1.5, abs=0.05)


async def test_the_same_source_gives_the_same_bytes(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    first = await cut(ffmpeg, film, asked(0.5, 3.5), tmp_path / "first.mp4")
    again = await cut(ffmpeg, film, asked(0.5, 3.5), tmp_path / "again.mp4")

    assert first.read_bytes() == again.read_bytes()
    assert b"Lavf" not in first.read_bytes(), "what wrote it, and in which version"


async def test_an_ffmpeg_that_cannot_decode_what_it_makes_cuts_the_same_clip(
    ffmpeg: Ffmpeg, film: Path, tmp_path: Path
) -> None:
    older = tmp_path / "ffmpeg"
    older.write_text(f'#!/bin/sh\ncase "$*" in *-dec*) exit 1;; esac\nexec {ffmpeg.executable} "$@"\n')
    older.chmod(0o755)

    plain = await cut(replace(ffmpeg, executable=older), film, asked(0.5, 3.5), tmp_path / "plain.mp4")
    clip = await cut(ffmpeg, film, asked(0.5, 3.5), tmp_path / "clip.mp4")

    assert not (tmp_path / "plain.seen").exists()
    assert plain.read_bytes() == clip.read_bytes()


async def test_the_index_stands_in_front(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    clip = await cut(ffmpeg, film, asked(0, 1), tmp_path / "clip.mp4")

    parts = films.boxes(clip)
    assert parts.index("moov") < parts.index("mdat")
    assert "moof" not in parts


async def test_nothing_that_a_source_says_of_itself_comes_along(ffmpeg: Ffmpeg, film: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.mp4"
    films.ffmpeg("-i", film, "-c", "copy", "-metadata", "comment=at home, 52.5N 13.4E", told)

    clip = await cut(ffmpeg, told, asked(0, 1), tmp_path / "clip.mp4")

    assert b"52.5N" not in clip.read_bytes()


async def test_progress_rises_to_the_whole(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    heard: list[float] = []

    async def watch(percent: float) -> None:
        heard.append(percent)

    source = films.film(tmp_path / "film.mp4")
    await ffmpeg.cut(source, asked(0, 4), tmp_path / "clip.mp4", watch=watch)

    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(100, abs=3)


async def test_a_cut_that_nobody_waits_for_leaves_no_process(ffmpeg: Ffmpeg, tmp_path: Path) -> None:
    source, under_way = tmp_path / "long.mkv", asyncio.Event()
    films.ffmpeg("-f", "lavfi", "-i", "testsrc=s=640x360:r=25:d=30", "-c:v", "mpeg4", source)

    async def watch(_: float) -> None:
        under_way.set()

    cutting = asyncio.create_task(ffmpeg.cut(source, asked(0, 30), tmp_path / "clip.mp4", watch=watch))
    await under_way.wait()
    cutting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cutting

    assert not [pid for pid in children_of(os.getpid()) if "ffmpeg" in name_of(pid)]


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
