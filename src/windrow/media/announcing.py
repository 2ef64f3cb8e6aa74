"""What a change of stage says, and where: rows in the transaction of the change (D14).

    every change         JobStatusChanged                 events topic
    to MetadataReady     MetadataReady                    events topic
                         the job with its snapshot        work topic
    to Failed            the job, and why                 dead letter topic

A message's id follows from the job and the number of the change, so whoever gets one twice can tell.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import checked_name
from windrow.media.dead_letter import DeadJob
from windrow.media.errors import PublishError
from windrow.media.job import MediaEvent, MediaJob
from windrow.media.snapshot import Shape, Snapshot
from windrow.media.stage import Stage
from windrow.media.status_changed import JobStatusChanged
from windrow.messages import Draft, publish_many, stable_id
from windrow.postgres import Transaction
from windrow.telemetry import span
from windrow.telemetry.catalogue import media as telemetry


@dataclass(frozen=True, slots=True)
class Topics:
    """Where it is said."""

    work: str = "media.work"
    events: str = "media.events"
    dead_letters: str = "media.dlq"

    def __post_init__(self) -> None:
        for name in (self.work, self.events, self.dead_letters):
            checked_name("topic", name)


class MetadataReady(Shape, frozen=True, kw_only=True, tag="MetadataReady", tag_field="event"):
    """What is known of the job's medium now."""

    job_id: str
    request_id: str
    number: int
    at: datetime
    metadata_version: int
    metadata_snapshot: Snapshot
    correlation_id: str | None = None


async def announce(tx: Transaction, topics: Topics, moved: MediaJob, before: Stage | None) -> int:
    """Say that the job has moved, after the statement that moved it; how many messages that are."""
    said = {
        topics.work: _work(moved),
        topics.events: _events(moved, before),
        topics.dead_letters: _dead_letters(moved),
    }
    count = sum(map(len, said.values()))
    with span("metadata.worker.publish", job_id=moved.job.job_id, stage=moved.stage, messages=count):
        try:
            for topic, drafts in said.items():
                if drafts:
                    await publish_many(tx, topic, drafts)
        except WindrowError as error:
            raise PublishError(error.message, code=error.code, hint=error.hint) from error
    if moved.stage is Stage.FAILED:
        tag = DeadJob.of(moved.job).tag
        tx.after_commit(partial(telemetry.DEAD_LETTERS.add, 1, tag=tag))
    return count


def change_of(moved: MediaJob, before: Stage | None) -> MediaEvent:
    """The change as the row's own trigger has written it down."""
    told: dict[str, Any] = {}
    if moved.stage is Stage.METADATA_READY:
        told["metadataVersion"] = moved.job.metadata_version
    elif moved.stage is not Stage.QUEUED:
        told["runtimeJobId"] = moved.job.runtime_job_id
    if moved.stage is Stage.FAILED:
        told["error"] = moved.job.error
    return MediaEvent(
        number=moved.moves,
        at=moved.job.updated_at,
        from_stage=before or "",
        to_stage=moved.stage,
        details={name: value for name, value in told.items() if value is not None},
    )


def _work(moved: MediaJob) -> list[Draft]:
    return [_draft(moved, "Work", moved.job)] if moved.stage is Stage.METADATA_READY else []


def _events(moved: MediaJob, before: Stage | None) -> list[Draft]:
    changed = _draft(moved, "JobStatusChanged", JobStatusChanged.of(moved, change_of(moved, before)))
    job = moved.job
    if moved.stage is not Stage.METADATA_READY or job.metadata_snapshot is None:
        return [changed]
    ready = MetadataReady(
        job_id=job.job_id,
        request_id=job.request_id,
        number=moved.moves,
        at=job.updated_at,
        metadata_version=job.metadata_version,
        metadata_snapshot=job.metadata_snapshot,
        correlation_id=job.correlation_id,
    )
    return [changed, _draft(moved, "MetadataReady", ready)]


def _dead_letters(moved: MediaJob) -> list[Draft]:
    return [_draft(moved, "DeadJob", DeadJob.of(moved.job))] if moved.stage is Stage.FAILED else []


def _draft(moved: MediaJob, kind: str, said: Shape) -> Draft:
    job = moved.job
    attributes = {"jobId": job.job_id, "requestId": job.request_id, "stage": str(moved.stage), "kind": kind}
    if job.correlation_id:
        attributes["correlationId"] = job.correlation_id
    return Draft(payload=plain(said), key=job.job_id, attributes=attributes, message_id=_message_id(moved, kind))


def _message_id(moved: MediaJob, kind: str) -> UUID:
    # with its birth: an id that is used again once its job is pruned is another job's
    born = moved.job.created_at.isoformat()
    return stable_id("media", moved.tenant_id, moved.job.job_id, born, str(moved.moves), kind)


def plain(said: Shape) -> Any:
    """As it is published: JSON and nothing else."""
    return msgspec.json.decode(msgspec.json.encode(said))
