"""Failures as they cross Temporal: the class of our error as the type, and the rest as one document.

The interceptor (`orchestration.interceptor`) packs them where an activity fails; workflows read them here and decide by
the class when to try again. Retries are the workflow's, not the server's: a class has a budget of its own, a source that
says "in two hours" is a timer that survives everything, and who looks sees what is being waited for.
"""

from dataclasses import asdict, dataclass
from datetime import timedelta

from temporalio.exceptions import ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TemporalTimeout

from windrow.contracts.errors import (
    FAMILY,
    Code,
    Conflict,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.contracts.retry import next_delay

_CODES = frozenset(Code)
_BY_NAME = {kind.__name__: kind for kind in FAMILY}


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, in words that can be stored."""

    error_class: str
    code: str
    message: str
    hint: str | None = None
    retry_after: float | None = None

    @classmethod
    def of(cls, error: WindrowError) -> "Failure":
        after = error.retry_after if isinstance(error, RateLimited) else None
        return cls(error.error_class, error.code, error.message[:2000], error.hint, after)

    @classmethod
    def read(cls, error: BaseException) -> "Failure":
        """What a failed activity or child said; what nobody mapped is transient until its budget is spent."""
        said: BaseException | None = error
        while said is not None:
            if isinstance(said, ApplicationError):
                return cls._told(said)
            if isinstance(said, TemporalTimeout):
                return cls(RetryableTransient.__name__, Code.TIMEOUT, _timeout(said))
            said = said.__cause__ if said.__cause__ is not said else None
        return cls(RetryableTransient.__name__, Code.UNKNOWN, f"{type(error).__name__}: {error}"[:2000])

    @classmethod
    def _told(cls, said: ApplicationError) -> "Failure":
        if said.type in _BY_NAME and said.details and isinstance(said.details[0], dict):
            # of whatever version the other worker is: what it says more is passed over, what it lacks has a default
            known = {name: value for name, value in said.details[0].items() if name in _FIELDS}
            return cls(**({"code": Code.UNKNOWN, "message": said.message} | known | {"error_class": said.type}))
        return cls(RetryableTransient.__name__, Code.UNKNOWN, f"{said.type or 'error'}: {said.message}"[:2000])

    def raised(self, *, again: bool = False) -> ApplicationError:
        """As Temporal carries it. Only with `again` it is tried once more without the workflow's word."""
        return ApplicationError(self.message, asdict(self), type=self.error_class, non_retryable=not again)

    def delay(self, failures: int, jitter: float) -> timedelta | None:
        """The wait after so many failures of this class; None once its budget is spent."""
        return next_delay(self.error(), failures, jitter)

    def error(self) -> WindrowError:
        """As the family's member that it was."""
        if self.retry_after is not None:
            return RateLimited(self.message, retry_after=self.retry_after, hint=self.hint)
        code = Code(self.code) if self.code in _CODES else Code.UNKNOWN
        return _BY_NAME[self.error_class](self.message, code=code, hint=self.hint)

    @property
    def is_fatal(self) -> bool:
        return self.error_class == Fatal.__name__

    @property
    def is_conflict(self) -> bool:
        return self.error_class == Conflict.__name__

    @property
    def is_invalid(self) -> bool:
        return self.error_class == ValidationFailure.__name__


_FIELDS = frozenset(Failure.__dataclass_fields__)


def _timeout(said: TemporalTimeout) -> str:
    if said.type is TimeoutType.HEARTBEAT:
        return "the worker was not heard of any more"
    return f"timed out ({said.type.name.lower() if said.type else 'unknown'})"
