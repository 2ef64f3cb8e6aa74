"""What a source answered, as a value."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http import links
from windrow.http.urls import shown
from windrow.telemetry import redact

LONGEST_EXCERPT = 200
# more than is shown, since blanking a secret shortens the text; not much more, since looking for secrets takes time
_READ_FOR_EXCERPT = 1024


@dataclass(frozen=True, slots=True, repr=False)
class Redirect:
    """One step of the way to the answer: a permanent one (301, 308) tells that the thing has moved."""

    status: int
    url: str
    to: str

    @property
    def permanent(self) -> bool:
        return self.status in (301, 308)

    def __repr__(self) -> str:
        return f"<{self.status} {shown(self.url)} to {shown(self.to)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Head:
    """All of an answer but its body. `url` is the address that answered, after the redirects; header names match in any case."""

    status: int
    url: str
    headers: Mapping[str, str]
    redirects: tuple[Redirect, ...] = ()

    def __repr__(self) -> str:
        # queries and bodies may hold what must not be shown
        return f"<{type(self).__name__} {self.status} {shown(self.url)}>"

    @property
    def etag(self) -> str | None:
        """What to pass as `etag` next time, to be told only of a change."""
        return self.headers.get("etag")

    @property
    def not_modified(self) -> bool:
        """Whether nothing changed since the `etag` that was passed."""
        return self.status == 304

    @property
    def media_type(self) -> str:
        """The `Content-Type` without its parameters, in lower case; empty if there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def links(self) -> dict[str, str]:
        """The addresses of the `Link` header by relation, such as `next`."""
        return links.links(self.headers.get("link", ""), httpx2.URL(self.url))


@dataclass(frozen=True, slots=True, repr=False)
class Response(Head):
    """An answer with its body in memory."""

    body: bytes = b""
    # blanks what was sent as a secret with the request: servers like to echo
    unsecret: Callable[[str], str] = field(default=redact, compare=False)

    def json(self) -> Any:
        """The body as JSON. Of a name that comes twice in an object, the last one counts."""
        try:
            return _decoded(self.body.removeprefix(b"\xef\xbb\xbf"))
        except (ValueError, RecursionError) as error:
            raise ValidationFailure(
                f"{shown(self.url)} answered {self.status} with what is no JSON: {self.excerpt!r}",
                code=Code.INVALID_VALUE,
                hint="check that the address is that of an API",
            ) from error

    @property
    def text(self) -> str:
        """The body as text; bytes that are none become the replacement character."""
        return self.body.decode("utf-8", errors="replace")

    @property
    def excerpt(self) -> str:
        """The beginning of the body on one line, without known secrets: for a message to a person."""
        return excerpt_of(self.body, self.unsecret)


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        # Half of a surrogate pair and a number beyond a double are JSON. One record with one of them must not keep a page
        # of others: whoever stores it mends or refuses that record alone.
        return json.loads(body.decode(), parse_constant=_no_json)


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def excerpt_of(body: bytes, unsecret: Callable[[str], str] = redact) -> str:
    """The beginning of a body on one line. Redacted before it is cut, so that no half of a secret stays."""
    text = unsecret(body[:_READ_FOR_EXCERPT].decode("utf-8", errors="replace"))
    words = "".join(char if char.isprintable() else " " for char in text).split()
    if len(body) > _READ_FOR_EXCERPT:
        # the last word may be half a secret, which nobody recognizes
        words[-1:] = ["…"]
    line = " ".join(words)
    return line if len(line) <= LONGEST_EXCERPT else line[: LONGEST_EXCERPT - 1] + "…"
