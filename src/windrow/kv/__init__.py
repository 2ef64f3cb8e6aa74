"""The semantic key-value store: versioned values by key, written by compare-and-set, each request exactly once."""

from windrow.kv.entry import Envelope, Purpose, Semantics, Writer
from windrow.kv.fingerprint import Fingerprints
from windrow.kv.hands import HIDDEN, OWNED, check_by_hand
from windrow.kv.listing import Page, entries, history
from windrow.kv.outcome import Outcome, Replayed, Stale, Stored
from windrow.kv.store import delete, get, put
from windrow.kv.sweep import LEDGER_DAYS, purge_requests, sweep

__all__ = [
    "HIDDEN",
    "LEDGER_DAYS",
    "OWNED",
    "Envelope",
    "Fingerprints",
    "Outcome",
    "Page",
    "Purpose",
    "Replayed",
    "Semantics",
    "Stale",
    "Stored",
    "Writer",
    "check_by_hand",
    "delete",
    "entries",
    "get",
    "history",
    "purge_requests",
    "put",
    "sweep",
]
