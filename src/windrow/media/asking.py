"""A provider is asked, within a time; what it answers must be such that it can be stored."""

import asyncio
import time

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.storable import Storable
from windrow.media.account import Account
from windrow.media.announcing import plain
from windrow.media.enriching import Provider, Question
from windrow.media.errors import EnrichmentDelayed, EnrichmentImpossible
from windrow.media.job import MediaJob
from windrow.media.limits import MediaLimits
from windrow.media.snapshot import Snapshot
from windrow.telemetry import bound, span

# with the job around it, a message still carries it
_SNAPSHOT = Storable("metadata", 512 * 1024, "a provider must cut what is longer")


async def ask(provider: Provider, job: MediaJob, limits: MediaLimits, account: Account) -> Snapshot:
    """What the provider knows of the job's medium."""
    begun, media = time.perf_counter(), job.job.media
    question = Question(job.scope, job.job.job_id, job.job.request_id, media)
    about = {"job_id": job.job.job_id, "media_type": media.type}
    # what a provider says of its own is about this job too
    with bound(**about, request_id=job.job.request_id, stage=job.stage), span("metadata.worker.enrich", **about):
        try:
            async with asyncio.timeout(limits.enrichment.total_seconds()) as patience:
                snapshot = await provider.snapshot(question)
        except TimeoutError as error:
            if not patience.expired():
                raise  # the provider's own, who knows better what it waited for
            raise EnrichmentDelayed(
                f"no answer within {limits.enrichment.total_seconds():g} s", code=Code.TIMEOUT
            ) from error
        _check(snapshot)
    milliseconds = round((time.perf_counter() - begun) * 1000, 3)
    account.say("metadata.worker.enriched", provider=snapshot.provider, enrichment_ms=milliseconds)
    return snapshot


def _check(snapshot: Snapshot) -> None:
    try:
        _SNAPSHOT.text(plain(snapshot))
    except (ValidationFailure, UnicodeEncodeError) as error:
        raise EnrichmentImpossible(
            f"the metadata cannot be stored: {error}", code=Code.INVALID_VALUE, hint="the provider is at fault"
        ) from error
