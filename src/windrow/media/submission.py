"""What is asked for: a medium, perhaps a stretch of it, for somebody's request. What could not be one is refused here."""

import math
from dataclasses import dataclass
from urllib.parse import urlsplit

from windrow.contracts.errors import Code, ValidationFailure
from windrow.media.errors import DecodeMessageError
from windrow.media.job import ClipWish, Media, ProcessingJob

LONGEST_URL = 4096
LONGEST_ID = 200
LONGEST_TYPE = 64
# beyond this, seconds could not be told to the microsecond any more
_FURTHEST = 1_000_000.0
_SCHEMES = ("http://", "https://", "file:/", "object:")
_YOUTUBE = ("youtube.com", "youtube-nocookie.com", "youtu.be")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A media job before it has an id. Whoever has one has a good one."""

    media: Media
    request_id: str
    clip: ClipWish | None = None
    correlation_id: str | None = None

    def __post_init__(self) -> None:
        _check_media(self.media)
        _check_text("request id", self.request_id, LONGEST_ID)
        if self.correlation_id is not None:
            _check_text("correlation id", self.correlation_id, LONGEST_ID)
        if self.clip is not None:
            _check_clip(self.clip)

    @classmethod
    def of(cls, job: ProcessingJob) -> "Submission":
        """What somebody else asks for by an object or a message."""
        try:
            return cls(
                media=job.media, request_id=job.request_id, clip=job.clip, correlation_id=job.correlation_id or None
            )
        except ValidationFailure as error:
            raise DecodeMessageError(error.message, code=error.code, hint=error.hint) from error


def media_of(url: str, media_type: str | None = None) -> Media:
    """The medium at this URL; its type is told by the URL where nobody has said it."""
    return Media(type=media_type or media_type_of(url), url=url)


def media_type_of(url: str) -> str:
    """`youtube` for its videos, `file` for files and objects, else `web`."""
    if url.startswith(("file:", "object:")):
        return "file"
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # brackets that are no address
        host = ""
    return "youtube" if any(host == one or host.endswith(f".{one}") for one in _YOUTUBE) else "web"


def _check_media(media: Media) -> None:
    _check_text("media type", media.type, LONGEST_TYPE)
    _check_text("media URL", media.url, LONGEST_URL)
    if not media.url.startswith(_SCHEMES) or not media.url.split(":", 1)[1].strip("/"):
        raise _refusal(f"{media.url[:80]!r} names no medium", "write https://…, file:/PATH or object:KEY")
    if media.url.startswith(("http://", "https://")) and "@" in media.url.split("/", 3)[2]:
        # it would stand in every list, object and message
        raise _refusal("the media URL holds a name or a password", "use a URL that works without, such as a signed one")


def _check_clip(clip: ClipWish) -> None:
    if not (math.isfinite(clip.start) and math.isfinite(clip.end) and 0 <= clip.start < clip.end <= _FURTHEST):
        raise _refusal(
            f"a clip from {clip.start:g} s to {clip.end:g} s has no length",
            f"its start is at least 0 and before its end, which is at most {_FURTHEST:g} s",
            Code.OUT_OF_RANGE,
        )


def _check_text(what: str, text: str, longest: int) -> None:
    if not 0 < len(text) <= longest or not text.isprintable():
        raise _refusal(f"the {what} {text[:80]!r} cannot be one", f"use 1 to {longest} printable characters")


def _refusal(message: str, hint: str, code: Code = Code.INVALID_VALUE) -> ValidationFailure:
    return ValidationFailure(message, code=code, hint=hint)
