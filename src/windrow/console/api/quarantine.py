"""`/api/v1/quarantine`: records that were refused, why, and what to do about them."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict

from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Here
from windrow.console.api.once import Keep, Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.wording import NamedEndpoint, OfEndpoint, Reason
from windrow.contracts.errors import Code, Conflict
from windrow.harvest import quarantine as store
from windrow.harvest.quarantine import Mark, Quarantined
from windrow.harvest.retrying import Attempt, Verdict
from windrow.postgres import Transaction

router = resource("quarantine")

GROUP = r"^[0-9a-f]{12}$"

State = Literal["open", "retried", "overtaken", "dropped", "all"]
EntryId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The entry's id.")]
_ONE = "/quarantine/{name}/{entry_id}"


class EntryView(BaseModel):
    """A refused record: every reason, where it was in the source, a redacted excerpt; `kept` says that it can be retried."""

    id: str
    endpoint_id: str
    state: str
    lane: str
    run_id: str
    position: str
    external_id: str | None
    item_id: str | None
    reasons: list[dict[str, str]]
    excerpt: str
    kept: bool
    times: int
    first_at: datetime
    last_at: datetime

    @classmethod
    def of(cls, entry: Quarantined) -> "EntryView":
        shown = {name: getattr(entry, name) for name in cls.model_fields if name != "kept"}
        return cls(**shown, kept=entry.record is not None)


class RetryRequest(BaseModel):
    """Why it is tried again, for the audit trail."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason | None = None


class Dismissal(BaseModel):
    """Why it may be given up, for the audit trail."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason


class Outcome(BaseModel):
    """What became of the entry, with the reasons of today where it was refused once more."""

    outcome: Verdict
    reasons: list[dict[str, str]]

    @classmethod
    def of(cls, attempt: Attempt) -> "Outcome":
        reasons = [{key: str(value) for key, value in msgspec.to_builtins(each).items()} for each in attempt.reasons]
        return cls(outcome=attempt.verdict, reasons=reasons)


class Dismissed(BaseModel):
    """The entry was given up, until it is refused again."""

    id: str
    state: Literal["dropped"] = "dropped"


@router.get("/quarantine")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    endpoint: OfEndpoint = None,
    state: Annotated[State, Query(description="Where they stand.")] = "open",
    group: Annotated[str | None, Query(pattern=GROUP, description="Only those with the same thing wrong.")] = None,
) -> Page[EntryView]:
    """Refused records, the latest first."""
    turn = asked.about("quarantine", Mark, endpoint=endpoint, state=state, group=group)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await store.page(
            tx,
            caller.scope.project_id,
            endpoint=endpoint,
            state=None if state == "all" else state,
            key=group,
            after=turn.after,
            limit=turn.ask_for,
        )
    entries = [EntryView.of(each) for each in found]
    return turn.page(entries, lambda each: Mark(each.last_at, each.endpoint_id, each.id))


@router.get(_ONE)
async def shown(caller: Reader, here: Here, name: NamedEndpoint, entry_id: EntryId) -> EntryView:
    """One refused record."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return EntryView.of(await store.entry(tx, caller.scope.project_id, name, entry_id))


@router.post(_ONE + "/retry")
async def retried(
    caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, entry_id: EntryId, said: RetryRequest
) -> Outcome:
    """Put the record through today's connector and contract; if it passes it is published, as old as it is."""

    async def act(keep: Keep[Outcome]) -> Outcome:
        async with here.database.tenant(caller.scope.tenant_id) as tx:
            entry = await store.entry(tx, caller.scope.project_id, name, entry_id)

        async def witness(tx: Transaction, attempts: list[Attempt]) -> None:
            await keep(tx, Outcome.of(attempts[0]))

        (attempt,) = await here.ports.retry(caller.scope, name, [entry], caller.actor, said.reason, witness)
        return Outcome.of(attempt)

    return await once.around(here.database, caller.scope.tenant_id, Outcome, act)


@router.post(_ONE + "/dismiss")
async def dismissed(
    caller: Writer, here: Here, once: Repeatable, name: NamedEndpoint, entry_id: EntryId, said: Dismissal
) -> Dismissed:
    """Give the record up. One that is refused again comes back."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> Dismissed:
            entry = await store.entry(tx, caller.scope.project_id, name, entry_id)
            if not await store.drop(tx, entry, actor=caller.actor, reason=said.reason):
                raise Conflict(
                    f"the entry is {entry.state}, or was refused again", code=Code.CAS_MISMATCH, hint="look at it again"
                )
            return Dismissed(id=entry.id)

        return await once.within(tx, Dismissed, act)
