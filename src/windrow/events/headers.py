"""The headers of a request as they are on the wire."""

from collections.abc import Sequence

from windrow.media.errors import DecodeMessageError

Headers = Sequence[tuple[bytes, bytes]]


def only(headers: Headers, name: bytes) -> str | None:
    """The header of this name (in lower case), if there is one. Of two, nobody knows which is meant."""
    values = [value for key, value in headers if key.lower() == name]
    if len(values) > 1:
        raise DecodeMessageError(f"the header {name.decode()} is there {len(values)} times", hint="send it once")
    return values[0].decode("latin-1").strip(" \t") if values else None
