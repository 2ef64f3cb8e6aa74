"""The object store that a URL names: `file:PATH`, `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `memory:`."""

from pathlib import Path
from typing import TYPE_CHECKING

from windrow.contracts.errors import Code, Fatal
from windrow.objects.local import LocalObjects
from windrow.objects.memory import MemoryObjects
from windrow.objects.s3 import S3Objects
from windrow.objects.signing import UrlSigner
from windrow.objects.store import Objects, ObjectStore

if TYPE_CHECKING:
    from windrow.objects.gcs import GcsObjects


def open_objects(
    url: str, *, signer: UrlSigner | None = None, region: str | None = None, endpoint: str | None = None
) -> Objects:
    """Open the store. `signer` is for those that Windrow serves itself, region for S3, endpoint for buckets."""
    return _opened(url, signer, region, endpoint)


def open_bucket(url: str, *, region: str | None = None, endpoint: str | None = None) -> ObjectStore:
    """Open a place that belongs to one tenant: its keys lie right below the prefix, with no tenant's name between."""
    return _opened(url, None, region, endpoint).undivided()


def _opened(
    url: str, signer: UrlSigner | None, region: str | None, endpoint: str | None
) -> "LocalObjects | MemoryObjects | S3Objects | GcsObjects":
    scheme, _, place = url.partition(":")
    bucket, _, prefix = place.removeprefix("//").partition("/")
    match scheme:
        case "file" if place:
            return LocalObjects(Path(place), signer)
        case "memory" if not place:
            return MemoryObjects(signer)
        case "s3" if bucket:
            return S3Objects(bucket, prefix, region=region, endpoint=endpoint)
        case "gs" if bucket:
            return _gcs()(bucket, prefix, endpoint=endpoint)
    raise Fatal(
        f"{url[:80]!r} does not name an object store",
        code=Code.CONFIGURATION,
        hint="write file:PATH, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX (WINDROW_OBJECT_STORE)",
    )


def _gcs() -> "type[GcsObjects]":
    try:
        from windrow.objects.gcs import GcsObjects
    except ImportError as error:
        raise Fatal(
            "gs:// needs Google's client for Cloud Storage, which is not installed",
            code=Code.CONFIGURATION,
            hint="pip install 'windrow[gcp]'",
        ) from error
    return GcsObjects
