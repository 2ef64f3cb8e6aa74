"""A value as a short name for people: equal values have equal fingerprints, and a fingerprint gives nothing away.

A plain hash would: a page number, a date or a short token is found by hashing all candidates. So it is keyed, with a
secret that the database made for the tenant and that only the tenant's own transactions can read. Fingerprints compare
within a tenant, which is where cursors are compared, and mean nothing elsewhere.
"""

import hmac
from typing import Any, Self

from windrow.contracts.scope import checked_name
from windrow.kv.value import canonical
from windrow.postgres import Database, Transaction, load

_LENGTH = 12

Q = load(__package__)


class Fingerprints:
    """Those of one tenant. Loaded once; then a fingerprint needs no database."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    async def load(cls, where: Database | Transaction, tenant_id: str) -> Self:
        """With the tenant's secret, made at its first use."""
        row = await where.row(Q.fingerprint_key, tenant=checked_name("tenant", tenant_id))
        assert row, "kv_fingerprint_key always answers"
        return cls(row["secret"])

    def of(self, value: Any) -> str:
        """For example `fp:3f9a1c07d2be`."""
        digest = hmac.digest(self._secret, canonical(value).text.encode(), "sha256")
        return f"fp:{digest.hex()[:_LENGTH]}"
