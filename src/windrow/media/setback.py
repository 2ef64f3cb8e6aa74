"""A job whose enrichment has failed: put off, or given up. Only whoever has it in hand may say so."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from windrow.contracts.errors import Fatal, WindrowError
from windrow.media import rows
from windrow.media.announcing import Topics
from windrow.media.dead_letter import kept
from windrow.media.job import MediaJob
from windrow.media.limits import MediaLimits
from windrow.media.moving import Change, move
from windrow.media.rows import Claimed, PutOff
from windrow.media.stage import Stage
from windrow.media.verdict import GiveUp, judged
from windrow.notify.escalation import channel_for
from windrow.notify.notice import Notice
from windrow.notify.telling import tell
from windrow.postgres import Database, Transaction
from windrow.telemetry.catalogue import process


@dataclass(frozen=True, slots=True)
class Setbacks:
    """Writes down what becomes of them."""

    database: Database
    topics: Topics
    limits: MediaLimits
    jitter: Callable[[], float]

    async def settle(self, claimed: Claimed, error: WindrowError) -> MediaJob | PutOff | None:
        """The failed job, or until when it waits; None: it is in another's hand by now, and nothing is written."""
        verdict = judged(error, claimed.job.attempts + 1, self.limits, self.jitter())
        async with self.database.tenant(claimed.job.tenant_id) as tx:
            if isinstance(verdict, GiveUp):
                held = await rows.holds(tx, claimed)
                return (
                    await move(tx, self.topics, claimed.job, Change(Stage.FAILED, error=verdict.error))
                    if held
                    else None
                )
            put_off = await rows.put_off(tx, claimed, verdict, kept(error))
            if put_off:
                tx.after_commit(partial(_count, error))
            if put_off and isinstance(error, Fatal):
                await _call_for_somebody(tx, claimed.job, error, put_off)
            return put_off


def _count(error: WindrowError) -> None:
    process.RETRIES.add(1, runtime="media", error_class=error.error_class, code=error.code)


async def _call_for_somebody(tx: Transaction, job: MediaJob, error: WindrowError, put_off: PutOff) -> None:
    """Nothing goes on until a person has acted: one notice a day for each trouble, not one for each job."""
    media_type = job.job.media.type
    await tell(
        tx,
        Notice(
            channel=channel_for(error.error_class, error.code),
            title=f"media jobs wait: {media_type} cannot be enriched ({error.code})",
            text=error.message,
            project_id=job.project_id,
            error_class=error.error_class,
            code=error.code,
            hint=error.hint,
            dedupe_key=f"media/{job.project_id}/{media_type}/{error.code}/{put_off.not_before:%Y-%m-%d}",
        ),
    )
