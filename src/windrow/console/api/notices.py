"""`/api/v1/notices`: what people were told: alerts, by channel."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel

from windrow import notify
from windrow.console.api.access import Reader
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.notify import Channel, LastTold, Severity, Told
from windrow.web.principal import Role

router = resource("notices")


class NoticeView(BaseModel):
    """What happened, to what, and what a person can do."""

    notice_id: UUID
    told_at: datetime
    channel: Channel
    title: str
    text: str
    severity: Severity
    project_id: str | None
    endpoint_id: str | None
    run_id: str | None
    error_class: str | None
    code: str | None
    hint: str | None

    @classmethod
    def of(cls, told: Told) -> "NoticeView":
        place = {"notice_id": told.notice_id, "told_at": told.told_at}
        return cls(**place, **{name: getattr(told.notice, name) for name in cls.model_fields if name not in place})


@router.get("/notices")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    channel: Annotated[Channel | None, Query(description="Only those of this channel.")] = None,
) -> Page[NoticeView]:
    """What was told about the project, the latest first; to admins also what was told about the tenant as a whole."""
    whole = caller.may(Role.ADMIN)
    turn = asked.about("notices", LastTold, channel=channel, whole=whole)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await notify.told(
            tx, caller.scope.project_id, whole=whole, channel=channel, after=turn.after, limit=turn.ask_for
        )
    return turn.page(list(map(NoticeView.of, found)), lambda each: LastTold(each.told_at, each.notice_id))
