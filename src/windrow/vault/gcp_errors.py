"""What google-auth raises, in our family. Imported by `gcp` once google-auth is known to be installed."""

from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError, TransportError

from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError, classify
from windrow.vault import wire_errors  # noqa: F401 - registers what `requests` raises


@classify.register
def _(error: GoogleAuthError) -> WindrowError:
    if error.retryable:
        return RetryableTransient(f"Google could not say who we are ({type(error).__name__})", code=Code.UNAVAILABLE)
    return Fatal(
        f"Google does not accept the identity of this process ({type(error).__name__})",
        code=Code.UNAUTHORIZED,
        hint="check the service account: it may have been disabled, or its key deleted",
    )


@classify.register
def _(error: DefaultCredentialsError) -> WindrowError:  # noqa: ARG001 - its words are a page
    return Fatal(
        "this process has no Google identity",
        code=Code.UNAUTHORIZED,
        hint="give it one: GOOGLE_APPLICATION_CREDENTIALS, or a service account of the machine",
    )


@classify.register
def _(error: TransportError) -> WindrowError:
    return RetryableTransient(f"Google cannot be reached ({type(error).__name__})", code=Code.NETWORK)
