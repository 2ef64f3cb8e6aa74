"""Credentials by reference: checked against the operator's list, read where they are kept, remembered for a minute."""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Self

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.telemetry import emit, span
from windrow.telemetry.catalogue import vault as telemetry
from windrow.vault.backend import Backend, missing
from windrow.vault.grants import Grants, Permitted
from windrow.vault.readings import Readings
from windrow.vault.reference import Reference
from windrow.vault.secret import Document, Secret


class Vault:
    """Resolves a `credential_ref` for a tenant. Open it with `async with`, or `aclose` it."""

    def __init__(
        self,
        backends: Iterable[Backend],
        grants: Grants,
        *,
        fresh_for: timedelta = timedelta(minutes=1),
        patience: timedelta = timedelta(seconds=15),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backends = {backend.scheme: backend for backend in backends}
        self._grants = grants
        self._patience = patience.total_seconds()
        self._readings = Readings(fresh_for=fresh_for.total_seconds(), clock=clock)

    async def resolve(self, credential_ref: str, tenant_id: str) -> Secret:
        """The credential, read less than `fresh_for` ago."""
        permitted = self._permitted(credential_ref, tenant_id)
        document = await self._readings.fresh(_key(permitted), lambda: self._read(permitted))
        return _part(document, permitted.reference)

    async def refresh(self, credential_ref: str, tenant_id: str) -> Secret:
        """The credential, read anew: for one that was just refused by the other side and may have been replaced."""
        permitted = self._permitted(credential_ref, tenant_id)
        document = await self._readings.anew(_key(permitted), lambda: self._read(permitted))
        emit("credential.refreshed", credential_ref=credential_ref, tenant_id=tenant_id)
        return _part(document, permitted.reference)

    async def aclose(self) -> None:
        """Stop what is being read and forget what was."""
        await self._readings.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _permitted(self, credential_ref: str, tenant_id: str) -> Permitted:
        reference = Reference.parse(credential_ref)
        if reference.scheme not in self._backends:
            known = ", ".join(sorted(self._backends))
            raise ValidationFailure("this credential_ref has a scheme that is not served", hint=f"known are: {known}")
        try:
            # asked every time, before anything that is remembered: what was read for one tenant says nothing of another
            return self._grants.permit(reference, tenant_id)
        except Fatal:
            telemetry.READS.add(1, scheme=reference.scheme, outcome="refused")
            emit("credential.refused", credential_ref=credential_ref, tenant_id=tenant_id)
            raise

    async def _read(self, permitted: Permitted) -> Document:
        scheme = permitted.reference.scheme
        outcome = "failed"
        try:
            with span("vault.read", scheme=scheme, credential_ref=str(permitted.reference)):
                document = Document(await self._text(permitted))
            outcome = "read"
        except WindrowError as error:
            outcome = "missing" if error.code is Code.CREDENTIAL_MISSING else "failed"
            raise
        finally:
            telemetry.READS.add(1, scheme=scheme, outcome=outcome)
        return document

    async def _text(self, permitted: Permitted) -> str:
        reference = permitted.reference
        try:
            async with asyncio.timeout(self._patience):
                return await self._backends[reference.scheme].read(permitted)
        except WindrowError:
            raise
        except TimeoutError:
            raise RetryableTransient(f"{reference} could not be read in time", code=Code.TIMEOUT) from None
        except Exception as error:
            kind = type(error).__name__
        # raised out here, so that nothing is chained: a foreign error may hold what was read
        raise RetryableTransient(f"{reference} could not be read: {kind}")


def _key(permitted: Permitted) -> tuple[str, str, str]:
    """The fields of one document are one reading; tenants share none, since files are checked for each."""
    return permitted.tenant_id, permitted.reference.scheme, permitted.reference.name


def _part(document: Document, reference: Reference) -> Secret:
    """The field that the reference names, or the whole."""
    if reference.field is None:
        return Secret(document.reveal())
    try:
        fields = json.loads(document.reveal())
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        # outside the handler: what the parser raises carries the whole document
        raise ValidationFailure(
            f"{reference} is not in a JSON object", code=Code.INVALID_VALUE, hint="leave out #FIELD, or store an object"
        )
    value = fields.get(reference.field)
    if value is None or value == "":
        raise missing(reference, "store that field in the JSON object")
    if not isinstance(value, str):
        raise ValidationFailure(f"{reference} is not text", code=Code.INVALID_VALUE, hint="store the field as a string")
    return Secret(value)
