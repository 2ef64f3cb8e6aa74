"""Which video a URL names: every form that YouTube gives out, and nothing that only looks like one. Pure."""

import re
from urllib.parse import SplitResult, parse_qs, urlsplit

_ID = re.compile(r"[A-Za-z0-9_-]{11}", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
_SITES = frozenset(
    f"{prefix}{site}" for site in ("youtube.com", "youtube-nocookie.com") for prefix in ("", "www.", "m.", "music.")
)
_SHORT = frozenset({"youtu.be", "www.youtu.be"})
_IN_PATH = frozenset({"shorts", "live", "embed", "v", "e"})
# as long as an id, and none: an embedded playlist, and whatever a channel is sending
_NO_IDS = frozenset({"videoseries", "live_stream"})
_PORTS = {"http": 80, "https": 443}
_LONGEST = 2048


def video_id(url: str) -> str | None:
    """The id of the video, or None for a URL of anything else: a playlist, a channel, another host."""
    kind, _, rest = url.partition(":")
    found = rest if kind.lower() == "youtube" else _named(_split(url))
    return found if found and _ID.fullmatch(found) and found not in _NO_IDS else None


def _split(url: str) -> SplitResult | None:
    # a browser reads a backslash as a slash, and urlsplit drops line breaks: both could hide another host
    if len(url) > _LONGEST or "\\" in url or any(char.isspace() or not char.isprintable() for char in url):
        return None
    try:
        parts = urlsplit(url if _SCHEME.match(url) else f"https://{url.removeprefix('//')}")
        right = parts.scheme in _PORTS and parts.port in (None, _PORTS[parts.scheme])
    except ValueError:
        return None
    return parts if right and "@" not in parts.netloc else None


def _named(parts: SplitResult | None) -> str | None:
    if parts is None:
        return None
    host = parts.netloc.partition(":")[0].removesuffix(".")
    segments = parts.path.strip("/").split("/")
    # not every letter whose lower case is ASCII is ASCII itself
    if not host.isascii():
        return None
    if host.lower() in _SHORT:
        return segments[0] if len(segments) == 1 else None
    return _on_site(segments, parts.query) if host.lower() in _SITES else None


def _on_site(segments: list[str], query: str) -> str | None:
    match segments:
        case ["watch"]:
            named = set(parse_qs(query).get("v", ()))
            return named.pop() if len(named) == 1 else None
        case [form, name] if form in _IN_PATH:
            return name
    return None
