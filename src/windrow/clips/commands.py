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

# microseconds that are read beyond the end
_MORE = 2_000_000

_QUIET = ("-hide_banner", "-nostdin", "-nostats")
_REPORTING = (*_QUIET, "-v", "error", "-progress", "pipe:1", "-stats_period", "0.25", "-y", "-threads", THREADS)
# libx264 takes pictures of even size only
_EVEN = "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0"
_SAME_BYTES = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")


def probing(source: Path, limits: ClipLimits) -> list[str]:
    """Say what the source is, and do nothing with it."""
    return [*_QUIET, *_reading(source, limits)]


def cutting(source: Path, asked: Asked, into: Path, limits: ClipLimits) -> list[str]:
    """Cut the stretch, frame by frame; times in the clip count from `start`, so that a gap at its beginning shows."""
    length = f"{micro(asked.length)}us"
    # no further than needed; the filters say exactly where it ends
    leap = ("-ss", f"{micro(asked.start)}us", "-t", f"{micro(asked.length) + _MORE}us")
    return [*_REPORTING, *leap, *_reading(source, limits), *_made(f"trim=end={length}", f"atrim=end={length}", into)]


def cutting_patiently(source: Path, asked: Asked, into: Path, limits: ClipLimits) -> list[str]:
    """The same, but everything before the stretch is decoded too: for sources in which ffmpeg leaps too far."""
    start, end = (f"{micro(at)}us" for at in (asked.start, asked.end))
    return [
        *(*_REPORTING, "-t", f"{micro(asked.end) + _MORE}us", *_reading(source, limits)),
        *("-ss", start, *_made(f"trim=end={end}", f"atrim=end={end}", into)),
    ]


def decoding(clip: Path, limits: ClipLimits) -> list[str]:
    """Decode all of a clip and list its frames; the first fault ends it."""
    return [
        # to finish the pictures, to smooth and to copy them finds no fault, and takes half of the time
        *(*_QUIET, "-v", "error", "-xerror", "-threads", THREADS, "-skip_loop_filter", "all"),
        *("-skip_idct", "all", "-copyts"),
        *_reading(clip, limits),
        *("-map", "0:v:0", "-map", "0:a?", "-fps_mode", "passthrough", "-enc_time_base:v", "demux"),
        *("-c:v", "wrapped_avframe", "-f", "framecrc", "pipe:1"),
    ]


def listing(source: Path, limits: ClipLimits) -> list[str]:
    """List the frames of a source from its beginning, as they are stored: no seeking that could miss, no decoding."""
    return [
        *(*_QUIET, "-v", "error"),
        *_reading(source, limits),
        *("-map", "0:V:0", "-c", "copy", "-f", "framecrc", "pipe:1"),
    ]


def _made(video: str, audio: str, into: Path) -> list[str]:
    return [
        # V: a video that is no cover picture
        *("-map", "0:V:0", "-map", "0:a:0?", "-map_metadata", "-1", "-map_chapters", "-1"),
        *("-filter:v", f"{video},{_EVEN}", "-filter:a", audio),
        # every frame at its own time, in the source's own measure
        *("-fps_mode", "vfr", "-enc_time_base:v", "demux"),
        *("-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads:v", THREADS),
        *("-c:a", "aac", "-b:a", "128k"),
        *(*_SAME_BYTES, "-sws_flags", "bicubic+accurate_rnd+bitexact"),
        # the index in front: a clip that breaks off then cannot be taken for a shorter one
        *("-movflags", "+faststart", "-f", "mp4", f"file:{into}"),
    ]


def _reading(source: Path, limits: ClipLimits) -> list[str]:
    guards = ("-protocol_whitelist", "file,pipe", "-format_whitelist", FORMATS, "-max_pixels", str(limits.pixels))
    return [*guards, "-i", f"file:{source}"]
