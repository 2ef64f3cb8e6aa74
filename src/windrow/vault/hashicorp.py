"""`vault:MOUNT/PATH`: a secret of a HashiCorp Vault, KV version 2. Needs hvac, which comes with `windrow[vault]`.

hvac knows only blocking calls, so they run in threads; the vault above sees to it that there are few of them.
"""

import asyncio
import json
from typing import Any

from windrow.contracts.errors import Code, Fatal, ValidationFailure, classify
from windrow.vault.backend import missing
from windrow.vault.grants import Permitted
from windrow.vault.hashicorp_door import Door
from windrow.vault.hashicorp_tokens import Identity, Tokens
from windrow.vault.reference import Reference
from windrow.vault.secret import Secret


class HashicorpVault:
    """Asks with a token of its own, or with one that its role is given at each login."""

    scheme = "vault"

    def __init__(self, door: Door, identity: Identity | None) -> None:
        self._door = door
        self._tokens = Tokens(door, identity) if identity else None

    async def read(self, permitted: Permitted) -> str:
        reference = permitted.reference
        if self._tokens is None:
            raise Fatal(
                "vault: credentials need a token, and none is configured",
                code=Code.CONFIGURATION,
                hint="set WINDROW_VAULT_TOKEN_REF, or WINDROW_VAULT_ROLE_ID and WINDROW_VAULT_SECRET_ID_REF",
            )
        token = await self._tokens.valid()
        try:
            return await asyncio.to_thread(self._read, token, reference)
        except Fatal as error:
            if error.code is not Code.FORBIDDEN:
                raise
            # Vault says the same for a path that is not ours and for a token that is none any more
            another = await self._tokens.another(token)
            if another is None:
                raise
        return await asyncio.to_thread(self._read, another, reference)

    def _read(self, token: Secret, reference: Reference) -> str:
        mount, _, path = reference.name.partition("/")
        with self._door.client(token) as (client, errors):
            try:
                answer = client.secrets.kv.v2.read_secret_version(
                    path=path, mount_point=mount, raise_on_deleted_version=True
                )
            # nothing is chained: hvac's errors carry whatever was answered
            except errors.InvalidPath:
                raise missing(
                    reference, "write the secret (`vault kv put`), or check its path; the engine must be KV version 2"
                ) from None
            except Exception as error:
                raise classify(error) from None
        return _document(answer, reference)


def _document(answer: Any, reference: Reference) -> str:
    """The secret's fields as one JSON object."""
    held = answer.get("data") if isinstance(answer, dict) else None
    fields = held.get("data") if isinstance(held, dict) else None
    if not isinstance(fields, dict):
        # outside of any handler, and without the answer: it may hold what was asked for
        raise ValidationFailure(
            f"{reference} is not a secret of KV version 2",
            code=Code.INVALID_VALUE,
            hint="check WINDROW_VAULT_ADDRESS, and that the first part of the path is a KV engine of version 2",
        )
    return json.dumps(fields)
