"""What people were told, read again: by the console, by programs."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from windrow.contracts.errors import ValidationFailure
from windrow.notify.notice import Channel, Notice, opened
from windrow.notify.telling import topic_of
from windrow.postgres import Transaction, load
from windrow.telemetry.redaction import PROCESS

Q = load(__package__, "reading.sql")


@dataclass(frozen=True, slots=True)
class Told:
    """A notice, and when it was told."""

    notice_id: UUID
    told_at: datetime
    notice: Notice


class LastTold(NamedTuple):
    """Where a page of notices ends."""

    told_at: datetime
    notice_id: UUID


async def told(
    tx: Transaction,
    project: str,
    *,
    whole: bool = False,
    channel: Channel | None = None,
    after: LastTold | None = None,
    limit: int = 50,
) -> list[Told]:
    """What was told about the project, the latest first, behind the last one of the page before. What concerns the tenant as a
    `whole` names other projects too: it is for those who may know of them."""
    rows = await tx.rows(
        Q.told,
        topics=[topic_of(each) for each in ([channel] if channel else Channel)],
        project=project,
        whole=whole,
        told_at=after.told_at if after else None,
        notice_id=after.notice_id if after else None,
        limit=limit,
    )
    return [Told(row["message_id"], row["published_at"], notice_of(row["topic"], row["payload"])) for row in rows]


def notice_of(topic: str, payload: Any) -> Notice:
    """What a message of a channel's topic tells, redacted."""
    channel = next(each for each in Channel if topic_of(each) == topic)
    try:
        return replace(opened(PROCESS.value(payload)), channel=channel)
    except ValidationFailure:
        # anybody can publish on these topics, and one stranger must not hide all the others
        return Notice(channel=channel, title="a message that is no notice")
