"""`/api/v1/audit`: who changed what, by which authority. The trail is the whole tenant's: for admins."""

from typing import Annotated

from fastapi import Query

from windrow.console.api.access import Admin
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import Moment, Word
from windrow.postgres import audit
from windrow.postgres.audit import Entry

router = resource("audit")


@router.get("/audit")
async def listed(
    caller: Admin,
    here: Here,
    asked: Paged,
    subject: Annotated[Word | None, Query(description="A thing's name; ending in `*`, all that begin with it.")] = None,
    actor: Annotated[Word | None, Query(description="Only what this one did.")] = None,
    action: Annotated[Word | None, Query(description="Only acts of this kind, such as `endpoints.add`.")] = None,
    since: Annotated[Moment | None, Query(description="Only what was done since then.")] = None,
) -> Page[Entry]:
    """The newest lines first, with hashes of before and after."""
    turn = asked.about("audit", int, subject=subject, actor=actor, action=action, since=since)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await audit.history(
            tx, subject=subject, actor=actor, action=action, since=since, before=turn.after, limit=turn.ask_for
        )
    return turn.page(found, lambda line: line.id)
