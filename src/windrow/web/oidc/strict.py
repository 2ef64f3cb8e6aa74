"""Base64url and JSON by the letter. What two readers could read differently is refused, with a ValueError.

joserfc checks signatures and base64 well, but reads JSON as Python does: of two equal names the last one counts, NaN is
a number, UTF-16 is guessed, and a header that is a list crashes it. So what it is given has passed here first.
"""

import base64
import json
from typing import Any


def bytes_of(text: str) -> bytes:
    """What the text stands for in base64url without padding."""
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # the decoder skips what it does not know and ignores spare bits: one token would have many spellings
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise ValueError("not base64url as it is written")
    return data


def object_of(data: bytes) -> dict[str, Any]:
    """The JSON object: UTF-8, no name twice at any depth, no NaN, no half of a surrogate pair."""
    try:
        value = json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_no_constant)
        # a lone surrogate is legal JSON that no log, row or header can hold
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004 - one error for all that is malformed
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
