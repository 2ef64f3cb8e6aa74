"""Secrets never reach a log, a span, a metric or a row.

Three nets, because each has holes: values we know to be secret (every `vault.Secret` registers its own), fields that
are secret by their name, and shapes that carry secrets (`user:password@host`, `Bearer …`).
"""

import base64
import json
import re
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
# shorter values would blank out half of every line, and a secret that short protects nothing
SHORTEST = 4
# hourly tokens for a year would otherwise slow every line down; those of long ago have run out
MOST_FORMS = 4096

_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|secret|token|api_?key|access_?key|private_?key|authori[sz]ation|cookie|credential|signature|jwt",
    re.IGNORECASE,
)
# a fingerprint, a reference and the name of a thing are made to be shown
_SHOWN_NAMES = frozenset(
    {"cursor_token", "credential_ref", "secret_ref", "webhook_secret_ref", "token_count", "idempotency_key"}
)
# bounded everywhere: these run over whatever a hostile peer makes us log. Each with what no such text is without, and how
# short it can be: most fields of most lines need not be searched
_SHAPES = (
    (
        "://",
        len("a://:b@"),
        re.compile(r"\b(?P<scheme>[a-z][a-z0-9+.-]{0,30}://)[^/\s:@]{0,256}:[^/\s@]{1,1024}@", re.IGNORECASE),
        rf"\g<scheme>{REDACTED}@",
    ),
    (
        "",
        len("Basic abcdefgh"),
        re.compile(r"\b(Bearer|Basic)\s{1,8}[A-Za-z0-9+/_.~=-]{8,}", re.IGNORECASE),
        rf"\1 {REDACTED}",
    ),
    (
        "=",
        len("sig=a"),
        re.compile(
            r"\b(password|passwd|secret|\w{0,40}token|api_?key|(?:x-amz-)?signature|x-amz-credential|sig)"
            r"(\s{0,8}=\s{0,8}['\"]?)[^\s&;,'\"]+",
            re.IGNORECASE,
        ),
        rf"\1\2{REDACTED}",
    ),
)


class Redactor:
    """The values known to be secret in this process; of very many, the latest."""

    def __init__(self) -> None:
        # in the order in which they became known, and longest first: a secret may begin with another one
        self._known: dict[str, None] = {}
        self._longest_first: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def know(self, value: str) -> None:
        """Remember a secret, in the forms in which it may travel."""
        if len(value) < SHORTEST:
            return
        with self._lock:
            fresh = _forms(value) - self._known.keys()
            if not fresh:
                return
            self._known |= dict.fromkeys(sorted(fresh))
            while len(self._known) > MOST_FORMS:
                del self._known[next(iter(self._known))]
            self._longest_first = tuple(sorted(self._known, key=len, reverse=True))

    def text(self, text: str) -> str:
        """The text with every known secret and every secret shape blanked out."""
        # plain searches: one pattern of all secrets takes most of a second to compile when there are hundreds
        for form in self._longest_first:
            if form in text:
                text = text.replace(form, REDACTED)
        for mark, shortest, shape, replacement in _SHAPES:
            if len(text) >= shortest and mark in text:
                text = shape.sub(replacement, text)
        return text

    def value(self, value: Any, name: str = "") -> Any:
        """Any JSON-like value, redacted by name and by content, all the way down."""
        if name and secret_by_name(name) and value not in (None, "", "unknown"):
            return REDACTED
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(inner, str(key)) for key, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value(inner) for inner in value]
        if value is None or isinstance(value, bool | int | float):
            return value
        return self.text(str(value))


def _forms(value: str) -> set[str]:
    raw = value.encode("utf-8", "surrogatepass")
    plain = {value, repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    coded = {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    quoted = {quote(raw, safe=""), quote_plus(raw)}
    # a secret of several lines may be logged line by line
    lines = {line for line in value.splitlines() if len(line) >= 16}
    return plain | coded | quoted | lines


def secret_by_name(name: str) -> bool:
    """Whether a field of this name is taken to hold a secret."""
    return name.lower() not in _SHOWN_NAMES and _SECRET_NAME.search(name) is not None


# one for the process: a log line may be written by any thread, about a secret read by any other
PROCESS = Redactor()


def redact(text: str) -> str:
    """The text, safe to be kept or shown."""
    return PROCESS.text(text)
