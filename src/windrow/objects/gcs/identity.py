"""Who the process is for Google."""

import logging

import google.auth
from google.auth.credentials import AnonymousCredentials, Credentials, Signing

from windrow.contracts.errors import Code, Fatal

SCOPE = "https://www.googleapis.com/auth/devstorage.read_write"


def identity(endpoint: str) -> Credentials:
    """What google-auth finds (a key in the environment, the service account of the machine); nobody, in the clear."""
    # at DEBUG google-auth logs whole responses, tokens among them
    logging.getLogger("google.auth").setLevel(logging.INFO)
    if endpoint.startswith("http://"):
        # an emulator: a token that is worth something is never sent where everybody can read it
        return AnonymousCredentials()  # type: ignore[no-untyped-call]
    found, _project = google.auth.default(scopes=[SCOPE])
    return found


def signing(credentials: Credentials) -> Credentials:
    """The credentials, if they can sign: a token is no key."""
    if not isinstance(credentials, Signing):
        raise Fatal(
            "the Google identity of this process cannot sign URLs: it has no private key",
            code=Code.CONFIGURATION,
            hint="give it the key of a service account (GOOGLE_APPLICATION_CREDENTIALS)",
        )
    return credentials
