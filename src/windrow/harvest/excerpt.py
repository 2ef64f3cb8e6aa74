"""What is kept of a record that was refused: redacted, whole for a later retry where that can be, and a piece to look at."""

import json
from typing import Any

import msgspec

from windrow.telemetry.redaction import PROCESS

LARGEST_RECORD = 256 * 1024
LONGEST_EXCERPT = 2000


def kept(record: Any) -> str | None:
    """The record as JSON for a later retry, redacted; None where it cannot be kept whole."""
    try:
        text = json.dumps(PROCESS.value(msgspec.to_builtins(record)), allow_nan=False)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None
    return text if len(text) <= LARGEST_RECORD else None


def excerpt(record: Any, text: str | None) -> str:
    """The beginning of the record, from what is kept of it if something is."""
    if text is None:
        try:
            text = PROCESS.text(repr(record)[: 4 * LONGEST_EXCERPT])
        except RecursionError:
            text = f"a {type(record).__name__} that is nested too deeply to be shown"
    return plain(text[:LONGEST_EXCERPT]) + ("…" if len(text) > LONGEST_EXCERPT else "")


def plain(text: str) -> str:
    """Without what Postgres cannot hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
