"""`/api/v1/quarantine/groups`: refused records by what is wrong with them, dealt with many at a time."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, StringConstraints

from windrow.console.api.access import Reader, Writer
from windrow.console.api.behind import Here
from windrow.console.api.once import Keep, Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Reading
from windrow.console.api.quarantine import GROUP, EntryView
from windrow.console.api.wording import Moment, Name, OfEndpoint, Reason
from windrow.console.clearing import Cleared, Clearing
from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.harvest import quarantine as store
from windrow.harvest.quarantine import Group, Mark
from windrow.harvest.retrying import Verdict
from windrow.postgres import Transaction
from windrow.telemetry import redact

router = resource("quarantine")

MOST_DISMISSED = 1000


class GroupView(BaseModel):
    """Records with the same thing wrong, whatever their values; the latest as an example. Unless `is_all`, there are more
    than were counted. In the places of the reasons, `*` is any number."""

    key: str
    reasons: list[dict[str, str]]
    count: int
    is_all: bool
    endpoints: int
    last_at: datetime
    example: EntryView

    @classmethod
    def of(cls, group: Group) -> "GroupView":
        return cls(
            key=group.key,
            reasons=group.reasons,
            count=group.count,
            is_all=group.count < store.COUNTED,
            endpoints=group.endpoints,
            last_at=group.last_at,
            example=EntryView.of(group.example),
        )


class Groups(BaseModel):
    """What is wrong with how many, the most frequent first."""

    items: list[GroupView]


class GroupChoice(BaseModel):
    """Those of one group; of all endpoints where none is named."""

    model_config = ConfigDict(extra="forbid")

    group: Annotated[str, StringConstraints(pattern=GROUP)]
    endpoint: Name | None = None


class GroupRetry(GroupChoice):
    """What is tried again, and why. `after` is the `next` of the call before."""

    reason: Reason | None = None
    after: Annotated[str, StringConstraints(max_length=2200)] | None = None


class GroupDismissal(GroupChoice):
    """What is given up, and why it may be; of those that were refused until some moment, where one is said."""

    reason: Reason
    until: Moment | None = None


class Trouble(BaseModel):
    """Why none of an endpoint's records could be tried."""

    endpoint: str
    code: Code
    detail: str
    hint: str | None


class GroupRetried(BaseModel):
    """How many came to what; `untried` are those whose endpoint could not be opened, for which `troubles` says why. So many
    are `left` behind these: `next` goes on there, and is null at the end."""

    outcomes: dict[Verdict, int]
    untried: int
    troubles: list[Trouble]
    left: int
    next: str | None


class GroupDismissed(BaseModel):
    """How many were given up, and how many are `left`: call again for those."""

    dismissed: int
    left: int


@router.get("/quarantine/groups")
async def grouped(
    caller: Reader, here: Here, endpoint: OfEndpoint = None, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> Groups:
    """Open records by what is wrong with them, the most frequent first."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await store.groups(tx, caller.scope.project_id, endpoint=endpoint, limit=limit)
    return Groups(items=[GroupView.of(each) for each in found])


@router.post("/quarantine/retry")
async def group_retried(caller: Writer, here: Here, once: Repeatable, said: GroupRetry) -> GroupRetried:
    """Put those with the same thing wrong through today's connector and contract, the latest first, 200 with each call."""
    reading = Reading(caller.scope, "quarantine-retry", {"group": said.group, "endpoint": said.endpoint})
    after = here.tokens.opened(reading, said.after, Mark) if said.after is not None else None

    def told(done: Cleared) -> GroupRetried:
        return GroupRetried(
            outcomes=dict(done.verdicts),
            untried=done.untried,
            troubles=[_trouble(*each) for each in done.troubles.items()],
            left=done.left,
            next=here.tokens.sealed(reading, done.onward) if done.onward else None,
        )

    async def act(keep: Keep[GroupRetried]) -> GroupRetried:
        async def witness(tx: Transaction, so_far: Cleared) -> None:
            await keep(tx, told(so_far))

        clearing = Clearing(here.database, here.ports, caller.scope, caller.actor, witness)
        return told(await _cleared(clearing, said, after))

    return await once.around(here.database, caller.scope.tenant_id, GroupRetried, act)


@router.post("/quarantine/dismiss")
async def group_dismissed(caller: Writer, here: Here, once: Repeatable, said: GroupDismissal) -> GroupDismissed:
    """Give up those with the same thing wrong. What is refused again comes back."""
    project = caller.scope.project_id
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> GroupDismissed:
            count = await store.drop_group(
                tx,
                project,
                said.group,
                endpoint=said.endpoint,
                until=said.until or datetime.now(UTC),
                actor=caller.actor,
                reason=said.reason,
                limit=MOST_DISMISSED,
            )
            left = await store.waiting(tx, project, said.group, endpoint=said.endpoint)
            return GroupDismissed(dismissed=count, left=left)

        return await once.within(tx, GroupDismissed, act)


async def _cleared(clearing: Clearing, said: GroupRetry, after: Mark | None) -> Cleared:
    try:
        return await clearing.retry(said.group, endpoint=said.endpoint, after=after, reason=said.reason)
    except ValidationFailure as error:
        # an endpoint that is gone is no word of the address
        raise ValidationFailure(error.message, code=Code.INVALID_VALUE, hint=error.hint) from None


def _trouble(endpoint: str, error: WindrowError) -> Trouble:
    return Trouble(endpoint=endpoint, code=error.code, detail=redact(error.message), hint=error.hint)
