"""`/api/v1/notices`: what people were told: alerts, by channel."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel

from windrow.console.api.access import Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.notify import Channel, topic_of
from windrow.postgres import load
from windrow.telemetry.redaction import PROCESS

router = resource("notices")

Q = load(__package__, "notices.sql")


class Mark(NamedTuple):
    """Where a page of notices ends."""

    told_at: datetime
    notice_id: UUID


class NoticeView(BaseModel):
    """What happened, to what, and what a person can do."""

    notice_id: UUID
    told_at: datetime
    channel: str
    title: str
    text: str = ""
    severity: str = "warning"
    project_id: str | None = None
    endpoint_id: str | None = None
    run_id: str | None = None
    error_class: str | None = None
    code: str | None = None
    hint: str | None = None

    @classmethod
    def of(cls, row: dict[str, Any]) -> "NoticeView":
        said = {name: value for name, value in PROCESS.value(row["payload"]).items() if name in cls.model_fields}
        place = {"channel": row["topic"].rpartition(".")[2], "title": ""}
        return cls(notice_id=row["message_id"], told_at=row["published_at"], **(place | said))


@router.get("/notices")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    channel: Annotated[Channel | None, Query(description="Only those of this channel.")] = None,
) -> Page[NoticeView]:
    """What was told about the project, and about the tenant as a whole; the latest first."""
    turn = asked.about("notices", Mark, channel=channel)
    last = turn.after
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        rows = await tx.rows(
            Q.page,
            topics=[topic_of(each) for each in ([channel] if channel else Channel)],
            project=caller.scope.project_id,
            published_at=last.told_at if last else None,
            message_id=last.notice_id if last else None,
            limit=turn.ask_for,
        )
    return turn.page([NoticeView.of(row) for row in rows], lambda each: Mark(each.told_at, each.notice_id))
