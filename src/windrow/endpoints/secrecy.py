"""What is a secret although nobody says so: by the name of its field, or by how it looks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windrow.telemetry.redaction import REDACTED, redact, secret_by_name

# such a field says where a secret is, or how it is called, and not what it is
_ABOUT = re.compile(
    r"_(url|uri|ref|path|param|parameter|header|field|name|type|location|prefix|count|seconds)$", re.ASCII
)
# how those who hand out tokens begin them, and whoever is named before the host of a web address
_LOOKS = re.compile(
    r"gh[pousr]_\w{20}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abeoprs]-[\w-]{10}|(?:AKIA|ASIA)[0-9A-Z]{16}|ATATT3\w{10}"
    r"|AIza[\w-]{30}|sk-[\w-]{20}|eyJ[\w-]{10,}\.eyJ[\w-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY|https?://[^/\s@]{1,1024}@",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a configuration: its path, as it may be shown, and whether a name above it says that it is secret."""

    path: str
    named_secret: bool
    value: Any


def secret_value(text: str) -> bool:
    """Whether the text carries a secret, going by its looks."""
    return redact(text) != text or _LOOKS.search(text) is not None


def secret_field(config: dict[str, Any]) -> str | None:
    """The first place in a configuration that would hold a secret, as `outer.inner`; None if there is none."""
    return next((place.path for place in _places(config) if _is_secret(place)), None)


def _is_secret(place: Place) -> bool:
    if place.named_secret and place.value not in (None, "", False):
        return True
    return isinstance(place.value, str) and secret_value(place.value)


def _places(value: Any, path: str = "", named_secret: bool = False) -> Iterator[Place]:
    """Every name, and every value that is not a container; what lies below a secret name is secret too."""
    if isinstance(value, dict):
        for name, below in value.items():
            where = f"{path}.{name}" if path else name
            yield Place(f"{path}.{REDACTED}" if path else REDACTED, False, name)
            yield from _places(below, where, named_secret or _says_secret(name))
    elif isinstance(value, list):
        for below in value:
            yield from _places(below, path, named_secret)
    else:
        yield Place(path, named_secret, value)


def _says_secret(name: str) -> bool:
    return secret_by_name(name) and not _ABOUT.search(name.lower())
