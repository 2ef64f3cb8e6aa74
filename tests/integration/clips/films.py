"""Films for the tests, made by ffmpeg itself: small, and such that each frame can be told from every other."""

import subprocess
from pathlib import Path

from windrow.clips.executable import find

RATE = 25
# each frame is a step brighter than the one before
_BRIGHTER, _DARKEST = 2, 16


def ffmpeg(*arguments: str | Path) -> bytes:
    line = [str(find()), "-hide_banner", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(line, check=True, capture_output=True).stdout


def film(
    path: Path, *more: str, seconds: float = 4, size: str = "64x48", rate: int = RATE, sound: bool = False
) -> Path:
    """A film whose frames get brighter and brighter, one group of pictures long: every cut falls in its middle."""
    picture = f"nullsrc=s={size}:r={rate}:d={seconds},geq=lum='{_DARKEST}+N*{_BRIGHTER}':cb=128:cr=128"
    tone = ("-f", "lavfi", "-i", f"sine=frequency=440:duration={seconds}") if sound else ()
    video = ("-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-bf", "2", "-g", "1000", "-pix_fmt", "yuv420p")
    ffmpeg("-f", "lavfi", "-i", picture, *tone, *video, *more, path)
    return path


def frames(path: Path) -> list[int]:
    """Which frames of the film these are, by their brightness."""
    raw = ffmpeg(
        "-i",
        path,
        "-map",
        "0:v:0",
        "-fps_mode",
        "passthrough",
        "-vf",
        "extractplanes=y,scale=1:1",
        "-f",
        "rawvideo",
        "-",
    )
    return [round((level - _DARKEST) / _BRIGHTER) for level in raw]


def listing(path: Path) -> str:
    """What ffmpeg says of a file."""
    return subprocess.run(
        [str(find()), "-hide_banner", "-i", str(path)], capture_output=True, text=True, check=False
    ).stderr


def boxes(path: Path) -> list[str]:
    """The parts of an mp4, in their order."""
    data, place, found = path.read_bytes(), 0, []
    while place + 8 <= len(data):
        size = int.from_bytes(data[place : place + 4])
        found.append(data[place + 4 : place + 8].decode("latin1"))
        place += size if size > 1 else int.from_bytes(data[place + 8 : place + 16])
    return found
