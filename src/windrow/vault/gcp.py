"""`gcp-sm:NAME`: a secret of Google Secret Manager. Needs google-auth, which comes with `windrow[gcp]`.

google-auth finds out who the process is (a service account, the metadata server, a federated identity) and gets its
tokens. The one call that is left is made here: Google's own client for it would bring gRPC and fifty megabytes along.
"""

import asyncio
import base64
import binascii
import logging
from typing import Any

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.vault import wire
from windrow.vault.backend import missing
from windrow.vault.grants import Permitted
from windrow.vault.reference import Reference

ENDPOINT = "https://secretmanager.googleapis.com"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_IDENTITY = "check the Google identity of this process; it needs secretmanager.versions.access on that secret"


class GcpSecretManager:
    """Asks with what google-auth finds for the process. `project` is whose secrets are meant where a name has no project."""

    scheme = "gcp-sm"

    def __init__(self, *, project: str | None = None, endpoint: str | None = None) -> None:
        self._project, self._endpoint = project, (endpoint or ENDPOINT).rstrip("/")
        self._credentials: Any = None
        self._connecting = asyncio.Lock()

    async def read(self, permitted: Permitted) -> str:
        async with self._connecting:
            if self._credentials is None:
                self._credentials = await asyncio.to_thread(self._identified)
        return await asyncio.to_thread(self._read, permitted.reference)

    def _identified(self) -> Any:
        # at DEBUG google-auth logs whole responses, tokens among them
        logging.getLogger("google.auth").setLevel(logging.INFO)
        try:
            import google.auth
            import google.auth.transport.requests

            from windrow.vault import gcp_errors  # noqa: F401 - registers with classify, once google-auth is there
        except ImportError as error:
            raise Fatal(
                "gcp-sm: credentials need google-auth, which is not installed",
                code=Code.CONFIGURATION,
                hint="pip install 'windrow[gcp]'",
            ) from error
        try:
            credentials, project = google.auth.default(scopes=[_SCOPE])
        except Exception as error:
            raise classify(error) from None
        self._project = self._project or project
        return credentials

    def _read(self, reference: Reference) -> str:
        address = f"{self._endpoint}/v1/{self._resource(reference)}:access"
        try:
            with wire.session() as own, self._authorized(own) as session:
                answer = session.get(address, timeout=wire.TIMEOUT, allow_redirects=False)
        except Exception as error:
            raise classify(error) from None
        if answer.status_code != 200:
            raise _meaning(answer.status_code, reference)
        return _text(answer, reference)

    def _authorized(self, own: Any) -> Any:
        """A session that shows who we are; it gets its tokens by the other."""
        from google.auth.transport import requests as transport
        from requests.adapters import HTTPAdapter
        from urllib3 import Retry

        session: Any = transport.AuthorizedSession(self._credentials, auth_request=transport.Request(own))  # type: ignore[no-untyped-call]
        wire.equip(session, HTTPAdapter, Retry)
        return session

    def _resource(self, reference: Reference) -> str:
        """The version's full name; the latest, where none is named."""
        name = reference.name
        if not name.startswith("projects/"):
            if not self._project:
                raise Fatal(
                    f"{reference} names no project, and the process has none",
                    code=Code.CONFIGURATION,
                    hint="set WINDROW_GCP_PROJECT, or write gcp-sm:projects/PROJECT/secrets/NAME",
                )
            name = f"projects/{self._project}/secrets/{name}"
        return name if "/versions/" in name else f"{name}/versions/latest"


def _meaning(status: int, reference: Reference) -> WindrowError:
    said = f"Secret Manager answered {status}"
    match status:
        case 401:
            return Fatal(said, code=Code.UNAUTHORIZED, hint=_IDENTITY)
        case 403:
            return Fatal(said, code=Code.FORBIDDEN, hint=_IDENTITY)
        # a version that was disabled or destroyed answers 400
        case 400 | 404:
            return missing(reference, "create the secret, enable its version, or check its name and project")
        case 429:
            return RateLimited(said)
        case _ if status >= 500:
            return RetryableTransient(said, code=Code.UNAVAILABLE)
    return ValidationFailure(said, code=Code.REFUSED, hint="check WINDROW_GCP_ENDPOINT")


def _text(answer: Any, reference: Reference) -> str:
    raw = _payload(answer)
    if raw is None:
        # outside of any handler: what a parser raises carries what it was given
        raise ValidationFailure(
            f"what answers for {reference} is no Secret Manager",
            code=Code.INVALID_VALUE,
            hint="check WINDROW_GCP_ENDPOINT",
        )
    # what is not UTF-8 is left for the Secret to refuse
    return raw.decode("utf-8", errors="surrogateescape")


def _payload(answer: Any) -> bytes | None:
    try:
        return base64.b64decode(answer.json()["payload"]["data"], validate=True)
    except (ValueError, LookupError, TypeError, binascii.Error):
        return None
