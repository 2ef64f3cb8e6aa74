"""What an encoder made, attested while it was made: so the clip that lies on the disk only needs to be read, not decoded.

Each packet that leaves the encoder is listed with its checksum, and given to a decoder, whose frames are listed as well; a
fault that it finds ends the cut. If every packet was a frame to the decoder, and the file has the same packets, then the file
decodes. That finds more than to decode the file: of single bits that are wrong in a video, a decoder notices four of five.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from windrow.clips import commands
from windrow.contracts.errors import Code, Fatal

_PACKET = re.compile(r"([01]), +-?\d+, +-?\d+, +\d+, +(\d+, +[0-9a-f]{32})\b", re.ASCII)
# what a decoder has to know before the first packet
_HEAD = re.compile(r"#extradata (0), +(\d+, +[0-9a-f]{32})\b", re.ASCII)
_SEEN = re.compile(r"0, +-?\d+, +-?\d+, ", re.ASCII)


@dataclass(frozen=True, slots=True)
class Content:
    """What a clip is made of: how many packets its video has, and the checksums of all those of its video and of its sound."""

    packets: int
    video: str
    sound: str


class Packets:
    """Adds up ffmpeg's `framemd5` listing, line by line: the video is stream 0, the sound stream 1."""

    def __init__(self) -> None:
        self._packets = 0
        # each in its own order: they are woven into each other while they are written
        self._digests = {"0": hashlib.sha256(), "1": hashlib.sha256()}

    def take(self, line: str) -> None:
        """The next line."""
        packet = _PACKET.match(line)
        if packet and packet[1] == "0":
            self._packets += 1
        if found := packet or _HEAD.match(line):
            self._digests[found[1]].update(found[2].encode())

    def total(self) -> Content:
        """What was listed."""
        return Content(self._packets, *(digest.hexdigest() for digest in self._digests.values()))


@dataclass(frozen=True, slots=True)
class Attested:
    """What was made, and how many frames a decoder has seen in it."""

    made: Content
    seen: int


def read(clip: Path) -> Attested:
    """The lists that were written beside a clip."""
    made, seen = commands.attested(clip)
    packets = Packets()
    with made.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            packets.take(line)
    with seen.open(encoding="utf-8", errors="replace") as lines:
        return Attested(packets.total(), _frames(lines))


def check(frames: int, attested: Attested, found: Content) -> None:
    """Refuse a clip that is not, frame by frame, what was made and seen."""
    made = attested.made
    if not frames == made.packets == attested.seen:
        raise _damaged(f"{frames} frames were written, {made.packets} were made, {attested.seen} can be decoded")
    if found != made:
        raise _damaged(f"{made.packets} frames were written, and what is read is not the same ({found.packets} frames)")


def _frames(lines: Iterable[str]) -> int:
    return sum(1 for line in lines if _SEEN.match(line))


def _damaged(what: str) -> Fatal:
    return Fatal(
        f"the clip is damaged: {what}", code=Code.CORRUPTED, hint="check the disk of the worker, then retry the job"
    )
