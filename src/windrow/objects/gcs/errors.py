"""What Google's client raises, in our family.

It raises what several libraries share (`requests`, google-auth, api-core). What those mean to others is not for us to
say, so they are not registered with `classify` themselves, but wrapped where they leave this package.
"""

from typing import Any

from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, TransportError
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from requests.exceptions import Timeout

from windrow.contracts.errors import (
    Code,
    Conflict,
    Fatal,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.objects.errors import no_bucket

_IDENTITY = "check the Google identity of this process, and what it may do with that bucket"
_REACHED = "check that Google Cloud Storage can be reached (WINDROW_OBJECT_STORE_ENDPOINT)"
# Google says these with 403 too
_LIMITS = {"rateLimitExceeded", "userRateLimitExceeded"}


class GoogleFailure(Exception):
    """Whatever was raised while Cloud Storage was asked."""

    def __init__(self, raised: Exception) -> None:
        super().__init__(type(raised).__name__)
        self.meaning = meaning(raised)


@classify.register
def _(error: GoogleFailure) -> WindrowError:
    return error.meaning


def meaning(raised: Exception) -> WindrowError:
    """Our error for it. Only what Google answered is quoted: other messages hold addresses that let in whoever has them."""
    if isinstance(raised, RetryError):
        # what it was that did not pass in time
        raised = raised.cause if isinstance(raised.cause, Exception) else raised
    if isinstance(raised, DataCorruption):
        return RetryableTransient(
            "the bytes that came are not those that were sent", code=Code.STORAGE_UNAVAILABLE, hint="try again"
        )
    if isinstance(raised, GoogleAPICallError | InvalidResponse):
        return _answered(raised)
    if isinstance(raised, GoogleAuthError) and not isinstance(raised, TransportError):
        return _unknown(raised)
    if isinstance(raised, Timeout | TimeoutError):
        return RetryableTransient("Google Cloud Storage did not answer in time", code=Code.TIMEOUT, hint=_REACHED)
    # connections that break, names that are not found, answers that are none
    return RetryableTransient(
        f"Google Cloud Storage cannot be asked ({type(raised).__name__})", code=Code.STORAGE_UNAVAILABLE, hint=_REACHED
    )


def _answered(raised: Any) -> WindrowError:
    status, reason, said = _told(raised.response)
    match status:
        case 401:
            return Fatal(said, code=Code.UNAUTHORIZED, hint=_IDENTITY)
        case 403 if reason not in _LIMITS:
            return Fatal(said, code=Code.FORBIDDEN, hint=_IDENTITY)
        # where an object was asked for, the driver has said so
        case 404:
            return no_bucket()
        case 409:
            return Conflict(said, code=Code.CONTENTION, hint="look again, then retry")
        case 412:
            return Conflict(said, code=Code.CAS_MISMATCH, hint="look again, then retry")
        case 403 | 429:
            return RetryableTransient(said, code=Code.RATE_LIMITED, hint="ask less often, or for less at once")
        case _ if 400 <= status < 500 and status not in (408, 410):
            return ValidationFailure(said, code=Code.REFUSED, hint="check the bucket and the endpoint")
    return RetryableTransient(said, code=Code.STORAGE_UNAVAILABLE, hint=_REACHED)


def _told(response: Any) -> tuple[int, str, str]:
    """The status, Google's word for it, and its sentence in one line."""
    status = response.status_code if response is not None else 503
    said, reason = "", ""
    try:
        error = response.json()["error"]
        said = " ".join(str(error["message"]).split())[:200]
        reason = str(error["errors"][0]["reason"])
    except (AttributeError, ValueError, LookupError, TypeError):
        # not every answer is Google's own: what stands before it says 502 in HTML
        pass
    return status, reason, f"Google Cloud Storage answered {status}" + (f" ({said})" if said else "")


def _unknown(raised: GoogleAuthError) -> WindrowError:
    if raised.retryable:
        return RetryableTransient(
            f"Google could not say who we are ({type(raised).__name__})", code=Code.STORAGE_UNAVAILABLE, hint=_REACHED
        )
    if isinstance(raised, DefaultCredentialsError):
        return Fatal(
            "this process has no Google identity",
            code=Code.UNAUTHORIZED,
            hint="give it one: GOOGLE_APPLICATION_CREDENTIALS, or a service account of the machine",
        )
    return Fatal(
        f"Google does not accept the identity of this process ({type(raised).__name__})",
        code=Code.UNAUTHORIZED,
        hint=_IDENTITY,
    )
