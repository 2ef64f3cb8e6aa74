"""Objects in S3, or in a store that speaks its protocol: `BUCKET/PREFIX/TENANT/KEY`."""

from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from windrow.contracts.scope import checked_name
from windrow.objects.driver import Absent, Anything, Method
from windrow.objects.errors import not_found, storage_error
from windrow.objects.keys import OWN, checked_bucket_prefix, joined
from windrow.objects.obstore_driver import ObstoreDriver
from windrow.objects.store import ObjectStore
from windrow.telemetry.redaction import PROCESS

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config

# a hiccup is retried here; whatever lasts longer has another owner
RETRY: "RetryConfig" = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=30),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=2), "base": 2},
}


class S3Objects:
    """A bucket. Where no keys are given, the identity of the process is used (role, web identity, instance)."""

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        *,
        region: str | None = None,
        endpoint: str | None = None,
        access_key_id: str | None = None,
        secret_access_key: str | None = None,
        session_token: str | None = None,
    ) -> None:
        self._bucket, self._prefix = bucket, checked_bucket_prefix(prefix)
        # the library's own timeout of 30 s is for the whole body, which cuts off a large object on a slow line
        self._client: ClientConfig = {"connect_timeout": "5s", "read_timeout": "30s", "timeout": "10m"}
        self._client["allow_http"] = bool(endpoint and endpoint.startswith("http://"))
        # without `multipart` there is no copy that is refused where something is
        self._config: S3Config = {"copy_if_not_exists": "multipart", "conditional_put": "etag"}
        given = {
            "region": region,
            "endpoint": endpoint,
            "access_key_id": access_key_id,
            "secret_access_key": secret_access_key,
            "session_token": session_token,
        }
        self._config.update({name: value for name, value in given.items() if value})  # type: ignore[typeddict-item]
        for secret in filter(None, (secret_access_key, session_token)):
            PROCESS.know(secret)
        self._store = self._open()
        # a few: each is a client with connections of its own
        self._typed = lru_cache(maxsize=8)(self._open)

    def for_tenant(self, tenant_id: str) -> ObjectStore:
        return self._at(joined(self._prefix, checked_name("tenant", tenant_id)))

    def own(self) -> ObjectStore:
        return self._at(joined(self._prefix, OWN))

    def undivided(self) -> ObjectStore:
        """All that lies below the prefix as one store: for a bucket that belongs to one tenant."""
        return self._at(self._prefix)

    async def sweep(self) -> int:
        # parts of uploads that were never finished are for a lifecycle rule of the bucket
        return 0

    def _at(self, place: str) -> ObjectStore:
        return ObjectStore(S3Driver(self._store, self._typed, place))

    def _open(self, default_content_type: str | None = None) -> S3Store:
        client = self._client.copy()
        if default_content_type:
            client["default_content_type"] = default_content_type
        try:
            return S3Store(self._bucket, config=self._config, client_options=client, retry_config=RETRY)
        except BaseError as error:
            raise storage_error(error, f"cannot open the bucket {self._bucket!r}") from error


class S3Driver(ObstoreDriver):
    """What S3 does differently: it signs URLs itself, and a guarded copy forgets the content type."""

    def __init__(self, store: S3Store, typed: Callable[[str], S3Store], place: str) -> None:
        async def sign(key: str, method: Method, expires_in: timedelta, _most_bytes: int | None) -> str:
            return await obstore.sign_async(store, method.value, self._at(key), expires_in)

        super().__init__("s3", store, place, sign)
        # the store with another content type for what is given none
        self._typed = typed

    async def copy(self, source: str, target: str, guard: Anything | Absent) -> None:
        if isinstance(guard, Anything):
            return await super().copy(source, target, guard)
        found = await self.head(source)
        if found is None:
            raise not_found(source)
        # a guarded copy is a multipart upload: it has none of the source's attributes, but the client's default
        return await self._copy_in(self._typed(found.content_type), source, target, guard)
