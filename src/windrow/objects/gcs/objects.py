"""All tenants' objects in one bucket of Cloud Storage: `BUCKET/PREFIX/TENANT/KEY`."""

import re
from datetime import timedelta

from google.auth.credentials import Credentials

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import checked_name
from windrow.objects.gcs.bucket import Bucket
from windrow.objects.gcs.driver import GcsDriver
from windrow.objects.keys import OWN, checked_bucket_prefix, joined
from windrow.objects.store import ObjectStore

_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]", re.ASCII)


class GcsObjects:
    """A bucket. Where no credentials are given, the identity of the process is used, once it is needed.

    `patience` is how long a hiccup is retried; what lasts longer has another owner.
    """

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        *,
        endpoint: str | None = None,
        credentials: Credentials | None = None,
        patience: timedelta = timedelta(seconds=15),
    ) -> None:
        if not _BUCKET.fullmatch(bucket):
            raise Fatal(
                f"{bucket[:80]!r} cannot be the name of a bucket",
                code=Code.CONFIGURATION,
                hint="write gs://BUCKET/PREFIX (WINDROW_OBJECT_STORE)",
            )
        self._prefix = checked_bucket_prefix(prefix)
        self._bucket = Bucket(bucket, endpoint=endpoint, credentials=credentials, patience=patience)

    def for_tenant(self, tenant_id: str) -> ObjectStore:
        return ObjectStore(GcsDriver(self._bucket, joined(self._prefix, checked_name("tenant", tenant_id))))

    def own(self) -> ObjectStore:
        return ObjectStore(GcsDriver(self._bucket, joined(self._prefix, OWN)))

    def undivided(self) -> ObjectStore:
        """All that lies below the prefix as one store: for a bucket that belongs to one tenant."""
        return ObjectStore(GcsDriver(self._bucket, self._prefix))

    async def sweep(self) -> int:
        # an upload that was never finished is nothing yet, and Google forgets it after a week
        return 0
