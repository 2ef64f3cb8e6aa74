"""Bytes by key, one tenant at a time: on the local disk, in S3, in Google Cloud Storage, or in memory, with the same promises."""

from windrow.objects.driver import Head, Listed, Method
from windrow.objects.opening import open_bucket, open_objects
from windrow.objects.store import Objects, ObjectStore, Reader, Writer

__all__ = ["Head", "Listed", "Method", "ObjectStore", "Objects", "Reader", "Writer", "open_bucket", "open_objects"]
