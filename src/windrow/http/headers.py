"""The headers of a request: which may be set, which are secret, and how a secret is revealed only here."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Protocol

from windrow.contracts.errors import Code, ValidationFailure
from windrow.telemetry import redact
from windrow.telemetry.redaction import Redactor, secret_by_name

# they say where a message goes and where it ends: a caller who could set them could speak for two
_OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
_VALUE = re.compile(r"[\x20-\x7e\t]*", re.ASCII)


class Secret(Protocol):
    """A value that shows itself only when asked to, such as the vault's."""

    def reveal(self) -> str:
        """The value itself."""


Headers = Mapping[str, "str | Secret"]


class Auth(Protocol):
    """Gives the headers that prove who we are; asked once more, with `refused`, after they were not accepted."""

    async def __call__(self, *, refused: bool = False) -> Headers:
        """The headers for the next request."""


def written(headers: Headers) -> dict[str, str]:
    """The headers as they go out, names in lower case. An error names the header, never its value."""
    return {name.lower(): _checked(name, value) for name, value in headers.items()}


def secret_names(headers: Headers) -> frozenset[str]:
    """The headers that must not reach another origin: those given as secrets, and those whose name says so."""
    return frozenset(
        name.lower()
        for name, value in headers.items()
        if not isinstance(value, str) or secret_by_name(name.replace("-", "_"))
    )


def unsecret(values: tuple[str, ...]) -> partial[str]:
    """A function that blanks these values in a text, and whatever else is known to be secret."""
    return partial(_without, values)


def _without(values: tuple[str, ...], text: str) -> str:
    here = Redactor()
    for value in values:
        here.know(value)
        # `Bearer abc` may come back as `abc`
        here.know(value.partition(" ")[2])
    return redact(here.text(text))


def _checked(name: str, value: "str | Secret") -> str:
    if not _NAME.fullmatch(name) or name.lower() in _OURS:
        raise ValidationFailure(
            f"the header {name[:60]!r} may not be set", code=Code.INVALID, hint="leave this header out of the request"
        )
    text = value if isinstance(value, str) else value.reveal()
    if not _VALUE.fullmatch(text) or text != text.strip():
        raise ValidationFailure(
            f"the header {name} holds a character that headers may not hold",
            code=Code.INVALID,
            hint="a credential read from a file often ends with a line break",
        )
    return text
