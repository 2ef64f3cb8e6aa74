"""Every check, in order. A check whose needs are not met is skipped, so that one fault is told once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from windrow.connectors.conformance import conduct, cursors, declared, deletes, items, paging, secrecy
from windrow.connectors.conformance.candidate import Candidate
from windrow.connectors.conformance.result import Failed, Result, Skipped, Verdict
from windrow.contracts.errors import classify
from windrow.telemetry import redact

_RAISED = "the connector raised this where a run would have gone on; raise what says what to do, or mend it"


@dataclass(frozen=True, slots=True)
class Check:
    """A named question to a connector, and the checks without which it makes no sense."""

    name: str
    ask: Callable[[Candidate], Awaitable[str]]
    needs: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """What it asks, in a sentence."""
        return (self.ask.__doc__ or "").strip()


CHECKS = (
    Check("spec", declared.spec),
    Check("prepare", declared.prepare),
    Check("pagination", paging.pagination, ("prepare",)),
    Check("last", paging.last, ("pagination",)),
    Check("contract", items.contract, ("pagination",)),
    Check("deterministic", items.deterministic, ("pagination",)),
    Check("cursor", cursors.cursor, ("pagination",)),
    Check("page-size", paging.page_size, ("pagination",)),
    Check("resume", cursors.resume, ("last", "cursor")),
    Check("replay", cursors.replay, ("pagination", "cursor")),
    Check("incremental", cursors.incremental, ("resume",)),
    Check("transform", items.transform, ("pagination",)),
    Check("on-demand", conduct.on_demand, ("pagination",)),
    Check("concurrency", conduct.concurrency, ("pagination",)),
    Check("cancellation", conduct.cancellation, ("pagination",)),
    Check("secrets", secrecy.secrets, ("pagination",)),
    Check("close", conduct.close, ("pagination",)),
    Check("listing", deletes.listing, ("pagination", "cursor")),
    # the source is changed from here on
    Check("deletes", deletes.deletes, ("resume", "listing")),
    Check("changes", deletes.changes, ("deletes",)),
)


async def examine(candidate: Candidate) -> AsyncIterator[Result]:
    """The results, each as soon as it is known."""
    # failed, or not asked because of one that failed
    lost: set[str] = set()
    for check in CHECKS:
        missing = [need for need in check.needs if need in lost]
        if missing:
            result = Result(check.name, Verdict.SKIPPED, f"makes sense only when {missing[0]} has passed")
        else:
            result = await _asked(check, candidate)
        if missing or result.verdict is Verdict.FAILED:
            lost.add(check.name)
        yield result


async def _asked(check: Check, candidate: Candidate) -> Result:
    try:
        async with asyncio.timeout(candidate.limits.seconds):
            detail = await check.ask(candidate)
    except Failed as failure:
        return Result(check.name, Verdict.FAILED, redact(failure.detail), redact(failure.hint))
    except Skipped as reason:
        return Result(check.name, Verdict.SKIPPED, redact(str(reason)))
    except Exception as error:
        ours = classify(error)
        return Result(check.name, Verdict.FAILED, redact(ours.message), ours.hint or _RAISED)
    return Result(check.name, Verdict.PASSED, redact(detail))
