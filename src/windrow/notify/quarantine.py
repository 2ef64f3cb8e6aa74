"""Refused records: the maintainers hear of the first of a run, and once more when they are many (MW-22, HV-70)."""

from dataclasses import dataclass

from windrow.notify.notice import Channel, Notice, Severity
from windrow.notify.telling import tell
from windrow.postgres import Transaction


@dataclass(frozen=True, slots=True)
class Threshold:
    """More than so many records, and more than so large a part of all, are told with this severity."""

    records: int
    part: float
    severity: Severity


# D15 ends a run at more than 3 and more than 10 %: people should know well before
THRESHOLDS = (Threshold(0, 0.0, Severity.INFO), Threshold(3, 0.01, Severity.WARNING))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """How many records a run has fetched so far, and how many of them were refused."""

    project_id: str
    endpoint_id: str
    run_id: str
    fetched: int
    refused: int


def crossed(refusals: Refusals) -> Threshold | None:
    """The highest threshold that these refusals are beyond."""
    return next(
        (
            level
            for level in reversed(THRESHOLDS)
            if refusals.refused > level.records and refusals.refused > level.part * refusals.fetched
        ),
        None,
    )


async def watch(tx: Transaction, refusals: Refusals) -> Threshold | None:
    """Tell if a threshold is crossed, each once a run, however often this is asked; the threshold."""
    level = crossed(refusals)
    if level is not None:
        await tell(tx, _notice(refusals, level))
    return level


def _notice(refusals: Refusals, level: Threshold) -> Notice:
    part = 100 * refusals.refused / max(refusals.fetched, 1)
    return Notice(
        channel=Channel.MAINTAINERS,
        title=f"{refusals.endpoint_id}: {refusals.refused} of {refusals.fetched} records were refused ({part:.2g} %)",
        text="They are in quarantine, each with its reasons; the rest goes on.",
        severity=level.severity,
        project_id=refusals.project_id,
        endpoint_id=refusals.endpoint_id,
        run_id=refusals.run_id,
        hint=f"`windrow quarantine list --endpoint {refusals.endpoint_id}` shows why",
        dedupe_key=f"quarantine/{refusals.run_id}/{level.severity}",
    )
