"""The command lines of ffmpeg. A source is a stranger's: what ffmpeg would open on its behalf is shut off here.

    protocols    files and pipes alone: no source makes the worker call somebody
    formats      containers of films; none that only names other files (playlists, lists to be joined, manifests)
    pictures     no larger than the limit, whatever the source announces

The same source gives the same bytes: threads are counted, and nothing of the day, the machine or the library is written.
"""

from pathlib import Path

from windrow.clips.asked import Asked, micro
from windrow.clips.limits import ClipLimits

# a film cut by two threads has other bytes than one cut by three; so their number is not the machine's
THREADS = "2"
# the last four have no picture: who names one is told so
FORMATS = "mov,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,mxf,ivf,nut,dv,h264,hevc,m4v,mp3,wav,flac,aac"

# every frame that comes out of a decoder, at its own time
_LISTED = ("-fps_mode", "passthrough", "-enc_time_base:v", "demux", "-c:v", "wrapped_avframe")
# microseconds that are read beyond the end
_MORE = 2_000_000

_QUIET = ("-hide_banner", "-nostdin", "-nostats")
_REPORTING = (*_QUIET, "-v", "error", "-progress", "pipe:1", "-stats_period", "0.25", "-y", "-threads", THREADS)
# libx264 takes pictures of even size only
_EVEN = "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0"
# what describes the pictures stands in the index, as mp4 wants it, whoever else is given them
_SAME_BYTES = ("-fflags", "+bitexact", "-flags:v", "+bitexact+global_header", "-flags:a", "+bitexact+global_header")
# to finish the pictures, to smooth, to copy and to colour them finds no fault, and takes more than half of the time. One
# thread: of two, the one that finds a fault may be too late to tell the other, and the clip passes
_FAULTS = ("-threads", "1", "-skip_loop_filter", "all", "-skip_idct", "all")


def probing(source: Path, limits: ClipLimits) -> list[str]:
    """Say what the source is, and do nothing with it."""
    return [*_QUIET, *_reading(source, limits)]


def cutting(source: Path, asked: Asked, into: Path, limits: ClipLimits) -> list[str]:
    """Cut the stretch, frame by frame; times in the clip count from `start`, so that a gap at its beginning shows."""
    return [*_leaping(source, asked, limits), *_mp4(into)]


def cutting_attested(source: Path, asked: Asked, into: Path, limits: ClipLimits) -> list[str]:
    """The same clip, to the byte. What the encoder makes is also listed with its checksums, and decoded at once; the frames that
    a decoder finds are listed too. The first fault ends it, be it one of the source.

    Run in the directory of the clip: the names of several files have a syntax of their own.
    """
    made, seen = attested(into)
    # if nothing else is said, one of them may fail
    clip = f"[onfail=abort:f=mp4:movflags=+faststart:fflags=+bitexact]file:{into.name}"
    listed = f"[onfail=abort:f=framemd5]file:{made.name}"
    return [
        *("-xerror", *_leaping(source, asked, limits), "-f", "tee", f"{clip}|{listed}"),
        *(*_FAULTS, "-flags", "gray", "-dec", "0:0"),
        *("-filter_complex", "[dec:0]null[seen]", "-map", "[seen]", *_LISTED, "-f", "framecrc", f"file:{seen.name}"),
    ]


def attested(clip: Path) -> tuple[Path, Path]:
    """Where the lists lie: of what was made, and of what was seen in it."""
    return clip.with_suffix(".made"), clip.with_suffix(".seen")


def cutting_patiently(source: Path, asked: Asked, into: Path, limits: ClipLimits) -> list[str]:
    """The same, but everything before the stretch is decoded too: for sources in which ffmpeg leaps too far."""
    start, end = (f"{micro(at)}us" for at in (asked.start, asked.end))
    return [
        *(*_REPORTING, "-t", f"{micro(asked.end) + _MORE}us", *_reading(source, limits)),
        *("-ss", start, *_made(f"trim=end={end}", f"atrim=end={end}"), *_mp4(into)),
    ]


def decoding(clip: Path, limits: ClipLimits) -> list[str]:
    """Decode all of a clip and list its frames; the first fault ends it."""
    return [
        *(*_QUIET, "-v", "error", "-xerror", *_FAULTS, "-flags:v", "gray", "-copyts"),
        *(*_reading(clip, limits), "-map", "0:v:0", "-map", "0:a?", *_LISTED, "-f", "framecrc", "pipe:1"),
    ]


def reading_back(clip: Path, limits: ClipLimits) -> list[str]:
    """List what a clip holds, with checksums. Its sound is also decoded, which costs next to nothing."""
    return [
        *(*_QUIET, "-v", "error", "-xerror", "-copyts", *_reading(clip, limits)),
        *("-map", "0:v:0", "-map", "0:a?", "-map", "0:a?"),
        *("-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "pcm_s16le", "-f", "framemd5", "pipe:1"),
    ]


def listing(source: Path, limits: ClipLimits) -> list[str]:
    """List the frames of a source from its beginning, as they are stored: no seeking that could miss, no decoding."""
    return [
        *(*_QUIET, "-v", "error"),
        *_reading(source, limits),
        *("-map", "0:V:0", "-c", "copy", "-f", "framecrc", "pipe:1"),
    ]


def _leaping(source: Path, asked: Asked, limits: ClipLimits) -> list[str]:
    length = f"{micro(asked.length)}us"
    # no further than needed; the filters say exactly where it ends
    leap = ("-ss", f"{micro(asked.start)}us", "-t", f"{micro(asked.length) + _MORE}us")
    return [*_REPORTING, *leap, *_reading(source, limits), *_made(f"trim=end={length}", f"atrim=end={length}")]


def _made(video: str, audio: str) -> list[str]:
    return [
        # V: a video that is no cover picture
        *("-map", "0:V:0", "-map", "0:a:0?", "-map_metadata", "-1", "-map_chapters", "-1"),
        *("-filter:v", f"{video},{_EVEN}", "-filter:a", audio),
        # every frame at its own time, in the source's own measure
        *("-fps_mode", "vfr", "-enc_time_base:v", "demux"),
        *("-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads:v", THREADS),
        # as mp4 stores them: then what is read back is what was made
        *("-x264-params", "annexb=0", "-c:a", "aac", "-b:a", "128k"),
        *(*_SAME_BYTES, "-sws_flags", "bicubic+accurate_rnd+bitexact"),
    ]


def _mp4(into: Path) -> list[str]:
    # the index in front: a clip that breaks off then cannot be taken for a shorter one
    return ["-movflags", "+faststart", "-f", "mp4", f"file:{into}"]


def _reading(source: Path, limits: ClipLimits) -> list[str]:
    guards = ("-protocol_whitelist", "file,pipe", "-format_whitelist", FORMATS, "-max_pixels", str(limits.pixels))
    return [*guards, "-i", f"file:{source}"]
