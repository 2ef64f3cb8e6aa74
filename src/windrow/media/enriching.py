"""The port of enrichment: a provider for each type of media."""

from dataclasses import dataclass
from typing import Protocol

from windrow.contracts.scope import Scope
from windrow.media.job import Media
from windrow.media.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Question:
    """Whose medium is asked about, for which request."""

    scope: Scope
    job_id: str
    request_id: str
    media: Media


class Provider(Protocol):
    """Knows one type of media.

    Raises `EnrichmentDelayed` for what may go better later and `EnrichmentImpossible` for what never will;
    whatever else it raises is classified by the family.
    """

    async def snapshot(self, question: Question) -> Snapshot: ...
