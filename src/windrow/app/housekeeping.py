"""What time does to stored things, in the background of every process that stays: sweeps and retentions, all bounded."""

from datetime import timedelta

from windrow import blobs, catalog, kv, messages
from windrow.app.background import Background
from windrow.harvest import lines, tidings
from windrow.objects import Objects
from windrow.outbox import retention as outbox
from windrow.postgres import Database, idempotency
from windrow.settings import Settings

_AT_ONCE = timedelta(seconds=1.5)
_OFTEN = timedelta(seconds=30)
_SELDOM = timedelta(minutes=15)


def keep_house(background: Background, settings: Settings, database: Database, objects: Objects) -> None:
    """Start every sweep."""
    background.every(_OFTEN, "kv.sweep", lambda: kv.sweep(database))
    background.every(_SELDOM, "kv.purge", lambda: kv.purge_requests(database, keep_days=settings.kv_ledger_days))
    background.every(_SELDOM, "idempotency.purge", lambda: idempotency.purge(database))
    keep = timedelta(hours=settings.message_retention_hours)
    background.every(_SELDOM, "messages.purge", lambda: messages.purge(database, keep=keep))
    background.every(_OFTEN, "messages.lag", lambda: messages.measure_lag(database))
    background.every(
        _SELDOM, "outbox.purge", lambda: outbox.purge(database, keep_hours=settings.outbox_retention_hours)
    )
    background.every(_SELDOM, "tidings.purge", lambda: tidings.purge(database))
    keep_logs = timedelta(days=settings.run_log_days)
    background.every(_SELDOM, "run_log.purge", lambda: lines.purge(database, keep=keep_logs))
    # a fourth of the time at most: while much is being loaded, that goes before
    background.every(
        _AT_ONCE, "catalog.index", lambda: catalog.index_some(database, seconds=_AT_ONCE.total_seconds() / 3)
    )
    background.every(_OFTEN, "outbox.lag", lambda: outbox.measure(database))
    background.every(_SELDOM, "objects.sweep", objects.sweep)


def keep_blobs(background: Background, flow: blobs.Blobs) -> None:
    """Start the sweep of uploads, wherever there is an HTTP application that takes them."""
    background.every(_SELDOM, "blobs.sweep", lambda: blobs.sweep(flow))
