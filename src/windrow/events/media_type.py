"""Media types with their parameters, as in a `Content-Type`."""

import re
from dataclasses import dataclass
from functools import lru_cache

from windrow.contracts.errors import Code
from windrow.media.errors import DecodeMessageError

_WORD = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_NAME = re.compile(rf"{_WORD}/{_WORD}")
# a semicolon, and behind it a parameter or nothing
_PARAMETER = re.compile(rf'[ \t]*;[ \t]*(?:({_WORD})=(?:({_WORD})|"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t -~])*)"))?')
_LONGEST = 1024
_ESCAPED = re.compile(r"\\(.)")

EVENT = "application/cloudevents"
BATCH = "application/cloudevents-batch"


@dataclass(frozen=True, slots=True)
class MediaType:
    """Its name in lower case, and the charset if one is named."""

    name: str
    charset: str | None = None

    @property
    def is_json(self) -> bool:
        return self.name.endswith(("/json", "+json"))

    @property
    def is_event(self) -> bool:
        """Whether a whole event is inside; by its beginning, whatever the format."""
        return self.name.startswith(EVENT) and not self.is_batch

    @property
    def is_batch(self) -> bool:
        return self.name.startswith(BATCH)

    def check_utf8(self) -> None:
        """Refuse text in any other encoding."""
        if self.charset not in (None, "utf-8", "utf8"):
            raise DecodeMessageError(
                f"text in the charset {self.charset[:40]!r} is not read", code=Code.CONTENT_TYPE, hint="send UTF-8"
            )

    def check_format(self) -> None:
        """Refuse an event in any format but JSON."""
        if self.name not in (f"{EVENT}+json", f"{BATCH}+json"):
            raise DecodeMessageError(
                f"events as {self.name[:80]!r} are not read", code=Code.CONTENT_TYPE, hint=f"send {EVENT}+json"
            )
        self.check_utf8()


@lru_cache(maxsize=64)  # a sender always sends the same
def media_type(text: str) -> MediaType:
    """What the text names."""
    name = _NAME.match(text)
    if not name or len(text) > _LONGEST:
        raise _refusal(text)
    at, charset = name.end(), None
    while at < len(text):
        parameter = _PARAMETER.match(text, at)
        if not parameter:
            raise _refusal(text)
        at = parameter.end()
        if (parameter[1] or "").lower() == "charset":
            if charset is not None:
                raise _refusal(text)
            charset = (parameter[2] or _ESCAPED.sub(r"\1", parameter[3] or "")).lower()
    return MediaType(name[0].lower(), charset)


def _refusal(text: str) -> DecodeMessageError:
    return DecodeMessageError(
        f"{text[:80]!r} is no media type", code=Code.CONTENT_TYPE, hint="write it as application/json; charset=utf-8"
    )
