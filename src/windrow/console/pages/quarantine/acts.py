"""What can be done to refused records: try them again with today's connector and contract, or give them up."""

from datetime import datetime
from urllib.parse import quote

from windrow.console.clearing import Cleared, Clearing
from windrow.console.pages.desk import Desk
from windrow.console.pages.quarantine.asked import Asked, key_of, written
from windrow.console.pages.reasons import reason_of
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.harvest import quarantine
from windrow.harvest.quarantine import Mark, Quarantined
from windrow.harvest.retrying import Verdict

_DID = {verdict: verdict.value.replace(" ", "-") for verdict in Verdict}


class Acts:
    """Each goes on to the group's page, which says what became of it."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._ports = desk.database, desk.ports

    async def retry(self, visit: Visit) -> str:
        entry, principal = await self._entry(visit), visit.principal
        (attempt,) = await self._ports.retry(
            principal.scope, entry.endpoint_id, [entry], principal.actor, reason_of(visit)
        )
        return _page(visit, _DID[attempt.verdict], after=Asked.of(visit).after)

    async def retry_all(self, visit: Visit) -> str:
        asked, principal = Asked.of(visit), visit.principal
        clearing = Clearing(self._database, self._ports, principal.scope, principal.actor)
        cleared = await clearing.retry(
            key_of(visit), endpoint=asked.endpoint, after=asked.after, reason=reason_of(visit)
        )
        return _page(visit, *_became(cleared), after=cleared.onward)

    async def dismiss(self, visit: Visit) -> str:
        reason, scope = _why(visit), visit.principal.scope
        entry = await self._entry(visit)
        async with self._database.tenant(scope.tenant_id) as tx:
            done = await quarantine.drop(tx, entry, actor=visit.principal.actor, reason=reason)
        return _page(visit, "dismissed" if done else "changed", after=Asked.of(visit).after)

    async def dismiss_all(self, visit: Visit) -> str:
        reason, until, scope = _why(visit), _moment(visit.form.get("until", "")), visit.principal.scope
        key, endpoint = key_of(visit), Asked.of(visit).endpoint
        async with self._database.tenant(scope.tenant_id) as tx:
            count = await quarantine.drop_group(
                tx,
                scope.project_id,
                key,
                endpoint=endpoint,
                until=until,
                actor=visit.principal.actor,
                reason=reason,
            )
            left = await quarantine.waiting(tx, scope.project_id, key, endpoint=endpoint)
        if not count:
            return _page(visit, "nothing")
        return _page(visit, f"dismissed:{count}", *([f"stay:{left}"] if left else []))

    async def _entry(self, visit: Visit) -> Quarantined:
        named = visit.request.path_params
        endpoint = checked_name("endpoint", named["endpoint"])
        async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
            return await quarantine.entry(
                tx, visit.principal.scope.project_id, endpoint, named["entry_id"].replace("\0", "")
            )


def _became(cleared: Cleared) -> list[str]:
    counts = [f"{did}:{cleared.verdicts[verdict]}" for verdict, did in _DID.items() if cleared.verdicts[verdict]]
    untried = [f"untried:{cleared.untried}"] if cleared.untried else []
    return [*counts, *untried, *([f"left:{cleared.left}"] if cleared.left else [])] or ["nothing"]


def _page(visit: Visit, *did: str, after: Mark | None = None) -> str:
    query = Asked.of(visit).query(after=written(after) if after else "")
    said = "&".join(f"did={quote(each, safe=':')}" for each in did)
    return f"/quarantine/{key_of(visit)}{query}{'&' if query else '?'}{said}"


def _why(visit: Visit) -> str:
    reason = reason_of(visit)
    if reason is None:
        raise ValidationFailure(
            "no reason was given", code=Code.INVALID_VALUE, hint="whoever looks for the records later will want to know"
        )
    return reason


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValidationFailure(
            "the form does not say when the records were looked at", code=Code.INVALID_VALUE, hint="load the page again"
        )
    return moment
