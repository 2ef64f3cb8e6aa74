"""Secrets never reach a log, a span, a metric or a row.

Three nets, because each has holes: values we know to be secret (every `vault.Secret` registers its own), fields that
are secret by their name, and shapes that carry secrets (`user:password@host`, `Bearer …`).
"""

import base64
import re
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
# shorter values would blank out half of every line, and a secret that short protects nothing
SHORTEST = 4

_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|secret|token|api_?key|access_?key|private_?key|authori[sz]ation|cookie|credential|signature|jwt",
    re.IGNORECASE,
)
# a fingerprint, a reference and the name of a thing are made to be shown
_SHOWN_NAMES = frozenset({"cursor_token", "credential_ref", "secret_ref", "token_count", "idempotency_key"})
_SHAPES = (
    (re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/\s:@]*:[^/\s@]+@", re.IGNORECASE), rf"\g<scheme>{REDACTED}@"),
    (re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9+/_.~=-]{8,}", re.IGNORECASE), rf"\1 {REDACTED}"),
    (re.compile(r"(?i)\b(password|passwd|secret|token|api_?key)(\s*=\s*)[^\s&;,'\"]+"), rf"\1\2{REDACTED}"),
)


class Redactor:
    """The values known to be secret in this process."""

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()

    def know(self, value: str) -> None:
        """Remember a secret, in the forms in which it may travel."""
        if len(value) < SHORTEST:
            return
        raw = value.encode()
        forms = {value, repr(value)[1:-1], quote(value, safe=""), quote_plus(value)}
        forms |= {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
        # a secret of several lines may be logged line by line
        forms |= {line for line in value.splitlines() if len(line) >= 16}
        with self._lock:
            if forms <= self._forms:
                return
            self._forms |= forms
            longest_first = sorted(self._forms, key=len, reverse=True)
            self._pattern = re.compile("|".join(re.escape(form) for form in longest_first))

    def text(self, text: str) -> str:
        """The text with every known secret and every secret shape blanked out."""
        if self._pattern is not None:
            text = self._pattern.sub(REDACTED, text)
        for shape, replacement in _SHAPES:
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


def secret_by_name(name: str) -> bool:
    """Whether a field of this name is taken to hold a secret."""
    return name.lower() not in _SHOWN_NAMES and _SECRET_NAME.search(name) is not None


# one for the process: a log line may be written by any thread, about a secret read by any other
PROCESS = Redactor()


def redact(text: str) -> str:
    """The text, safe to be kept or shown."""
    return PROCESS.text(text)
