"""Jobs that survive their worker, on Postgres alone.

jobs.enqueue(tx, scope, kind, payload)    in the transaction of whatever asks for it
jobs.Worker(…).run()                      takes, runs and settles; recovers what other workers left
jobs.find, listed, events, counts         for people
jobs.cancel, retry                        by people
"""

from windrow.jobs.control import cancel, retry
from windrow.jobs.enqueue import MAX_ATTEMPTS, Enqueued, Terms, Unique, enqueue, enqueue_many
from windrow.jobs.job import Count, Job, JobEvent, Status
from windrow.jobs.kinds import Kind, Kinds
from windrow.jobs.pressure import PressureLimits
from windrow.jobs.reading import counts, events, find, listed
from windrow.jobs.recovery import promote, recover
from windrow.jobs.retention import KEEP, prune
from windrow.jobs.running import Artifact, Cancelled, HandedBack, LeaseLost, Running, Stopped
from windrow.jobs.scratch import Cleaned, clean
from windrow.jobs.worker import Worker, WorkerLimits

__all__ = [
    "KEEP",
    "MAX_ATTEMPTS",
    "Artifact",
    "Cancelled",
    "Cleaned",
    "Count",
    "Enqueued",
    "HandedBack",
    "Job",
    "JobEvent",
    "Kind",
    "Kinds",
    "LeaseLost",
    "PressureLimits",
    "Running",
    "Status",
    "Stopped",
    "Terms",
    "Unique",
    "Worker",
    "WorkerLimits",
    "cancel",
    "clean",
    "counts",
    "enqueue",
    "enqueue_many",
    "events",
    "find",
    "listed",
    "promote",
    "prune",
    "recover",
    "retry",
]
