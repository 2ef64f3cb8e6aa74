"""The errors of the metadata worker, each with the tag that logs and dead letters call it by (EV-9).

DecodeMessageError          what came is no event or no job                    never again, DLQ
StageMismatchError          the job has left the stage that the event is about    skipped
UnsupportedMediaTypeError   nobody here enriches such media                    Failed, DLQ
MetadataEnrichmentError
├── EnrichmentDelayed       the provider is away, or asks for patience         again later
└── EnrichmentImpossible    the video is missing or private                    Failed, DLQ
PersistenceError            the database or the objects could not be written   again later
PublishError                a message could not be written with its change     again later
ProcessingError             what was to be done with the media has failed      Failed, DLQ
UnexpectedError             a fault of ours that nobody has foreseen           again later
"""

from datetime import datetime
from typing import ClassVar

from windrow.contracts.errors import Code, Conflict, RetryableTransient, ValidationFailure, WindrowError


class MediaError(WindrowError):
    """One of the errors above, whose family decides what happens next."""

    tag: ClassVar[str]


class DecodeMessageError(MediaError, ValidationFailure):
    """What came cannot be read as an event or as a job."""

    tag = "DecodeMessageError"


class StageMismatchError(MediaError, Conflict):
    """The job stands elsewhere than the event says; `stage` is where."""

    tag = "StageMismatchError"

    def __init__(self, message: str, *, stage: str) -> None:
        super().__init__(message)
        self.stage = stage


class UnsupportedMediaTypeError(MediaError, ValidationFailure):
    """No provider for such media."""

    tag = "UnsupportedMediaTypeError"


class MetadataEnrichmentError(MediaError):
    """A provider did not give the metadata; one of the two below says whether it may yet."""

    tag = "MetadataEnrichmentError"


class EnrichmentDelayed(MetadataEnrichmentError, RetryableTransient):
    """Worth another try; `not_before` is when, where the provider said so, and such a wait is no failed attempt."""

    def __init__(
        self, message: str, *, code: Code | None = None, hint: str | None = None, not_before: datetime | None = None
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.not_before = not_before


class EnrichmentImpossible(MetadataEnrichmentError, ValidationFailure):
    """The media is not there for us, and will not be."""


class PersistenceError(MediaError, RetryableTransient):
    """The change could not be written, or its objects not read."""

    tag = "PersistenceError"


class PublishError(MediaError, RetryableTransient):
    """What announces a change could not be written with it."""

    tag = "PublishError"


class ProcessingError(MediaError, ValidationFailure):
    """The job of the runtime that works on the media has failed for good, or could not be ordered."""

    tag = "ProcessingError"


class UnexpectedError(MediaError, RetryableTransient):
    """No error of this domain."""

    tag = "UnexpectedError"
