"""D23: which channel is told of a run that failed, and in which words. Values in, values out."""

from dataclasses import dataclass
from datetime import datetime

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.notify.notice import Channel, Notice, Severity

CREDENTIALS = frozenset({Code.UNAUTHORIZED, Code.FORBIDDEN, Code.CREDENTIAL_MISSING})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRun:
    """A run that failed, and of what; in words, since an error does not cross a process.

    `well_at` is when a run of its endpoint last ended well.
    """

    project_id: str
    endpoint_id: str
    run_id: str
    error_class: str
    code: str
    reason: str
    hint: str | None = None
    well_at: datetime | None = None

    @classmethod
    def of(
        cls,
        error: WindrowError,
        *,
        project_id: str,
        endpoint_id: str,
        run_id: str,
        well_at: datetime | None = None,
    ) -> "FailedRun":
        """The run that failed with this error."""
        return cls(
            project_id=project_id,
            endpoint_id=endpoint_id,
            run_id=run_id,
            error_class=error.error_class,
            code=str(error.code),
            reason=error.message,
            hint=error.hint,
            well_at=well_at,
        )


def channel_for(error_class: str, code: str) -> Channel:
    """Who can mend it."""
    if error_class == Fatal.__name__ and code in CREDENTIALS:
        return Channel.SECURITY
    return Channel.MAINTAINERS if error_class == ValidationFailure.__name__ else Channel.OPS


def escalated(run: FailedRun) -> Notice:
    """What is told of it, once for a run and its code; and of a credential once until the endpoint does well again.

    Who tries again with what is refused, by hand or because a source has sent tidings, tells nobody anything new.
    """
    waits = run.error_class == Fatal.__name__
    channel = channel_for(run.error_class, run.code)
    return Notice(
        channel=channel,
        title=f"{run.endpoint_id}: the run failed ({run.code})",
        text=run.reason,
        severity=Severity.CRITICAL if waits else Severity.WARNING,
        project_id=run.project_id,
        endpoint_id=run.endpoint_id,
        run_id=run.run_id,
        error_class=run.error_class,
        code=run.code,
        hint=run.hint or ("it waits until a person has acted" if waits else None),
        dedupe_key=_since_well(run) if channel is Channel.SECURITY else f"run/{run.run_id}/{run.code}",
    )


def _since_well(run: FailedRun) -> str:
    well_at = run.well_at.isoformat() if run.well_at else "never"
    return f"credential/{run.project_id}/{run.endpoint_id}/{run.code}/{well_at}"
