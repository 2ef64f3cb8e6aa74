"""The object store that a URL names: `file:PATH`, `s3://BUCKET/PREFIX` or `memory:`."""

from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.objects.local import LocalObjects
from windrow.objects.memory import MemoryObjects
from windrow.objects.s3 import S3Objects
from windrow.objects.signing import UrlSigner
from windrow.objects.store import Objects


def open_objects(
    url: str, *, signer: UrlSigner | None = None, region: str | None = None, endpoint: str | None = None
) -> Objects:
    """Open the store. `signer` is for those that Windrow serves itself, region and endpoint for S3."""
    scheme, _, place = url.partition(":")
    match scheme:
        case "file" if place:
            return LocalObjects(Path(place), signer)
        case "memory" if not place:
            return MemoryObjects(signer)
        case "s3" if bucket := place.removeprefix("//").partition("/")[0]:
            prefix = place.removeprefix("//").partition("/")[2]
            return S3Objects(bucket, prefix, region=region, endpoint=endpoint)
    raise Fatal(
        f"{url[:80]!r} does not name an object store",
        code=Code.CONFIGURATION,
        hint="write file:PATH or s3://BUCKET/PREFIX (WINDROW_OBJECT_STORE)",
    )
