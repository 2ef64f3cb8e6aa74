"""An annotated tag's own words: who made it, when, and what it says."""

import re
from typing import Any

from windrow.connectors.git.history import seconds

_TAGGER = re.compile(r"tagger (?P<name>.*?) ?<(?P<email>[^<>]*)> (?P<at>\d{1,19})(?: [+-]\d{4})?")


def read_tag(raw: bytes) -> dict[str, Any]:
    """From the object itself; what is missing or broken is left empty."""
    head, _, message = raw.partition(b"\n\n")
    lines = head.decode("utf-8", "replace").split("\n")
    tagger = next((found for line in lines if (found := _TAGGER.fullmatch(line))), None)
    return {
        "tagger": tagger["name"] if tagger else "",
        "tagger_email": tagger["email"] if tagger else "",
        "at": seconds(tagger["at"]) if tagger else 0,
        "message": message.decode("utf-8", "replace"),
    }
