"""How long a media job is worked on, and how often."""

from dataclasses import dataclass
from datetime import timedelta

from windrow.contracts.retry import RetryPolicy

RETRY = RetryPolicy(timedelta(seconds=10), timedelta(minutes=10), attempts=150, spread=0.5)


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """`retry.attempts` is how many enrichments may fail before a job is given up."""

    enrichment: timedelta = timedelta(seconds=60)
    # what is written before and after the provider is asked counts against the claim too
    slack: timedelta = timedelta(seconds=30)
    # a provider may be away for most of a day
    retry: RetryPolicy = RETRY
    # a key that is refused, a disk that is full: nothing goes on before a person has acted
    unattended: timedelta = timedelta(minutes=10)
    # a job's object or message; larger ones are none
    job_bytes: int = 256 * 1024

    @property
    def claim(self) -> timedelta:
        return self.enrichment + self.slack
