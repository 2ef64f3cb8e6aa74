"""What is kept of a log line: what it says itself, in a size and in characters that Postgres can hold.

It was redacted before: cut first, half of a secret would be none that anybody knows.
"""

import json
from typing import Any

from windrow.telemetry.log import UNKNOWN

LONGEST = 1000
LONGEST_ERROR = 4000
_CUT = "…"
_FURTHEST = 2**63
# the line's own columns, and what all lines of a run have in common
_KNOWN = frozenset(
    {"timestamp", "level", "event", "tenant_id", "project_id", "endpoint_id", "run_id", "spec_id", "directive"}
    | {"correlation_id", "workflow_id", "temporal_run_id"}
)


def abridged(said: dict[str, Any]) -> dict[str, Any]:
    """The fields of a line that are worth keeping, each within its bound."""
    return {
        name: _error(value) if name == "error" else _within(_storable(value))
        for name, value in said.items()
        if name not in _KNOWN and value != UNKNOWN
    }


def _error(value: Any) -> str:
    """The end of a traceback is what went wrong."""
    text = str(_storable(value))
    return text if len(text) <= LONGEST_ERROR else _CUT + text[-LONGEST_ERROR:]


def _within(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else text[:LONGEST] + _CUT


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(name)): _storable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_storable(inner) for inner in value]
    # neither does what is no number compare, nor does Python write down every integer in tens
    if not isinstance(value, float | int) or -_FURTHEST <= value < _FURTHEST:
        return value
    return str(value) if isinstance(value, float) else hex(value)


def storable_text(value: str) -> str:
    """Without what no row can hold: NUL, and half of a surrogate pair."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
