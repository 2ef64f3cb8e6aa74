"""How much a clip may cost."""

from dataclasses import dataclass

MIB = 1024 * 1024
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class ClipLimits:
    """Bytes, seconds and pixels that are enough for anything honest."""

    source_bytes: int = 8 * GIB
    clip_bytes: int = 2 * GIB
    # how long a clip may be
    clip_seconds: float = 3600.0
    # how long its source may take to come, and ffmpeg to cut it
    fetch_seconds: float = 1800.0
    cut_seconds: float = 3600.0
    memory_bytes: int = 3 * GIB
    # a frame that is larger is refused before it is decoded: a few bytes can announce a picture of terabytes
    pixels: int = 8192 * 8192
