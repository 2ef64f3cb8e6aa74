"""What Pub/Sub answers, in our family. Not registered with `classify`: other Google APIs raise the same classes for other things."""

from typing import Any

from google.api_core import exceptions as google
from google.auth.exceptions import GoogleAuthError

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.vault import gcp_errors  # noqa: F401 - registers what google-auth raises

_LONGEST = 300


def meaning(error: Exception, resource: str) -> WindrowError:
    """Our error for what a call about a topic or subscription raised."""
    if isinstance(error, GoogleAuthError):
        return classify(error)
    if not isinstance(error, google.GoogleAPICallError):
        return RetryableTransient(f"Pub/Sub: {type(error).__name__}: {error}"[:_LONGEST], code=Code.UNKNOWN)
    said = _said(error, resource)
    match error:
        case google.NotFound():
            return Fatal(said, code=Code.CONFIGURATION, hint=_making(resource))
        case google.PermissionDenied():
            return Fatal(said, code=Code.FORBIDDEN, hint=_permitting(resource))
        case google.Unauthenticated():
            return Fatal(said, code=Code.UNAUTHORIZED, hint="check the Google identity of this process")
        case google.ResourceExhausted():
            return RateLimited(said, retry_after=_asked(error), hint="see the quotas of the project")
        case google.DeadlineExceeded():
            return RetryableTransient(said, code=Code.TIMEOUT)
        case google.InvalidArgument() | google.OutOfRange():
            return ValidationFailure(said, code=Code.REFUSED)
        case google.FailedPrecondition():
            return Fatal(said, code=Code.CONFIGURATION, hint=f"look at {resource} in the console of Google Cloud")
    return RetryableTransient(said, code=Code.UNAVAILABLE)


def _said(error: google.GoogleAPICallError, resource: str) -> str:
    """One line: what it is about, the status, and Pub/Sub's own words."""
    status = getattr(error.grpc_status_code, "name", error.code)
    words = " ".join(str(error.message or "").split())
    return f"Pub/Sub answered {status} for {resource}: {words}"[:_LONGEST]


def _asked(error: google.GoogleAPICallError) -> float | None:
    """How long it asks us to wait, where it says so."""
    delays: list[Any] = [detail.retry_delay for detail in error.details if hasattr(detail, "retry_delay")]
    return float(delays[0].ToTimedelta().total_seconds()) if delays else None


def _making(resource: str) -> str:
    _, project, kind, name = resource.split("/", 3)
    return f"make it (gcloud pubsub {kind} create {name} --project {project}), or correct the setting"


def _permitting(resource: str) -> str:
    role = "subscriber" if "/subscriptions/" in resource else "publisher"
    return f"give the identity of this process roles/pubsub.{role} on {resource}"
