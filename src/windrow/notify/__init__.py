"""Telling people: notices written with what they are about, delivered by the relay to the log and to webhooks.

    async with database.tenant(tenant) as tx:
        await runs.end_run(tx, run_id, Outcome.FAILED, error=error)
        await failures.note(tx, FailedRun.of(error, project_id=…, endpoint_id=…, run_id=run_id))

docs/how-to/alerts.md tells which channel hears of what, and how a webhook is set.
"""

from windrow.notify.channels import attach, detach, hooks, log_subscription, webhook_subscription
from windrow.notify.escalation import FailedRun, channel_for
from windrow.notify.notice import Channel, Notice, Severity
from windrow.notify.reading import LastTold, Told, told
from windrow.notify.sinks import LOG_SINK, Hook, Log, Resolve
from windrow.notify.telling import tell, topic_of

__all__ = [
    "LOG_SINK",
    "Channel",
    "FailedRun",
    "Hook",
    "LastTold",
    "Log",
    "Notice",
    "Resolve",
    "Severity",
    "Told",
    "attach",
    "channel_for",
    "detach",
    "hooks",
    "log_subscription",
    "tell",
    "told",
    "topic_of",
    "webhook_subscription",
]
