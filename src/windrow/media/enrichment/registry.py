"""Who is asked about a medium, by its type; and who probably speaks in it, which no provider knows."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from windrow.contracts.errors import Code
from windrow.media.enriching import Provider, Question
from windrow.media.errors import UnsupportedMediaTypeError
from windrow.media.snapshot import Snapshot
from windrow.media.speakers import Speakers
from windrow.telemetry import bound

# a type is somebody else's word: as much of it as a line needs
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Enrichment:
    """The providers by media type. Without a registry of speakers there are no hints but the provider's own."""

    providers: Mapping[str, Provider]
    speakers: Speakers | None = None

    async def snapshot(self, question: Question) -> Snapshot:
        """What the provider of its type knows, with the speakers of the request and of the channel."""
        scope, kind = question.scope, question.media.type[:_LONGEST]
        whose = bound(tenant_id=scope.tenant_id, project_id=scope.project_id)
        with whose, bound(job_id=question.job_id, request_id=question.request_id, media_type=kind):
            return await self._hinted(question, await self._provider(question.media.type).snapshot(question))

    def _provider(self, kind: str) -> Provider:
        try:
            return self.providers[kind]
        except KeyError:
            raise UnsupportedMediaTypeError(
                f"nobody here enriches media of the type {kind[:_LONGEST]!r}",
                code=Code.INVALID,
                hint=f"there are: {', '.join(sorted(self.providers)) or 'none'}",
            ) from None

    async def _hinted(self, question: Question, found: Snapshot) -> Snapshot:
        if self.speakers is None:
            return found
        channel = found.author.channel_id if found.author else None
        registered = await self.speakers.resolve(question.scope, question.request_id, channel)
        names = {hint.name.casefold() for hint in registered}
        own = tuple(hint for hint in found.speaker_hints if hint.name.casefold() not in names)
        return msgspec.structs.replace(found, speaker_hints=(*registered, *own))
