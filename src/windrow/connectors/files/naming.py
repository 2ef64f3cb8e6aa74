r"""How a path, which is bytes, becomes a text that names an item.

Text stays as it is. A backslash becomes `\\`; a byte that is no UTF-8, and every byte of a control character or line
separator, becomes `\xHH`. That can be undone. A name that would be longer than an external id may be is the beginning
of its path, `\#`, and the SHA-256 of all of it: unique, and not to be confused with a path written out.
"""

import hashlib
import re

from windrow.contracts.errors import Code, ValidationFailure

LONGEST = 1024
_SHOWN_OF_A_LONG_ONE = 200

_ODD = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPE = re.compile(rb"\\(?:(\\)|x([0-9a-f]{2})|)")


def escaped(raw: bytes) -> str:
    """The path as text, however long."""
    return _ODD.sub(_escape, raw.decode("utf-8", "surrogateescape"))


def unescaped(text: str) -> bytes:
    """The path that `escaped` was given."""
    try:
        return _ESCAPE.sub(_unescape, text.encode())
    except ValueError:
        raise ValidationFailure(
            f"{text[:80]!r} is no path as we write it", code=Code.INVALID, hint=r"a backslash is written \\"
        ) from None


def named(raw: bytes) -> str:
    """The path as text that fits an external id."""
    text = escaped(raw)
    if len(text) <= LONGEST:
        return text
    return f"{escaped(raw[:_SHOWN_OF_A_LONG_ONE])}\\#{hashlib.sha256(raw).hexdigest()}"


def _escape(found: re.Match[str]) -> str:
    if found[0] == "\\":
        return r"\\"
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode("utf-8", "surrogateescape"))


def _unescape(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return found[1]
    if not found[2]:
        raise ValueError(found[0])
    return bytes.fromhex(found[2].decode())
