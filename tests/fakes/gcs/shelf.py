"""Objects, their generations, and what guards them."""

import base64
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import google_crc32c
from starlette.responses import Response
from tests.fakes.gcs.errors import error


@dataclass(frozen=True)
class Kept:
    """A version of an object."""

    name: str
    data: bytes
    content_type: str | None
    generation: int
    metageneration: int = 1
    # cacheControl, contentEncoding, metadata …
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def crc32c(self) -> str:
        return base64.b64encode(google_crc32c.Checksum(self.data).digest()).decode()

    @property
    def md5(self) -> str:
        return base64.b64encode(hashlib.md5(self.data).digest()).decode()

    @property
    def updated(self) -> datetime:
        return datetime.fromtimestamp(self.generation / 1e6, UTC)

    def resource(self, bucket: str) -> dict[str, Any]:
        at = self.updated.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        told = {
            **self.more,
            "kind": "storage#object",
            "id": f"{bucket}/{self.name}/{self.generation}",
            "name": self.name,
            "bucket": bucket,
            "generation": str(self.generation),
            "metageneration": str(self.metageneration),
            "contentType": self.content_type,
            "storageClass": "STANDARD",
            "size": str(len(self.data)),
            "md5Hash": self.md5,
            "crc32c": self.crc32c,
            # it changes with the metadata too, unlike the generation
            "etag": base64.b64encode(f"{self.generation}/{self.metageneration}".encode()).decode(),
            "timeCreated": at,
            "updated": at,
        }
        return {name: value for name, value in told.items() if value is not None}


@dataclass
class Shelf:
    """The objects of a bucket without versioning: what is replaced or deleted is gone."""

    objects: dict[str, Kept] = field(default_factory=dict)
    last: int = 0

    def put(self, name: str, data: bytes, content_type: str | None = None, **more: Any) -> Kept:
        # microseconds, as Google counts them, but never the same number twice
        self.last = max(self.last + 1, time.time_ns() // 1000)
        self.objects[name] = Kept(name, data, content_type, self.last, more=more)
        return self.objects[name]

    def touch(self, name: str) -> None:
        """Somebody changes the metadata."""
        kept = self.objects[name]
        self.objects[name] = replace(kept, metageneration=kept.metageneration + 1)

    def get(self, name: str, generation: str | None = None) -> Kept | None:
        kept = self.objects.get(name)
        return kept if kept and generation in (None, str(kept.generation)) else None

    def names(self) -> list[str]:
        """In the order of a listing: that of the bytes."""
        return sorted(self.objects, key=str.encode)


def refused(asked: Mapping[str, str], kept: Kept | None, *, source: str = "") -> Response | None:
    """412 unless the preconditions hold; 0 is the generation of what is not there."""
    generation, metageneration = (kept.generation, kept.metageneration) if kept else (0, 0)
    for name, found in (("Generation", generation), ("Metageneration", metageneration)):
        if (wanted := asked.get(f"if{source}{name}Match")) is not None and int(wanted) != found:
            return error(412)
        if (unwanted := asked.get(f"if{source}{name}NotMatch")) is not None and int(unwanted) == found:
            return error(412)
    return None
