"""A quay for every test."""

from pathlib import Path

import pytest
from tests.integration.blobs.items import put_item
from tests.integration.blobs.quay import Quay

from windrow.blobs import BlobLimits, Blobs
from windrow.console.blobs import announce
from windrow.objects.local import LocalObjects
from windrow.objects.memory import MemoryObjects
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import Database

SIGNER = UrlSigner("http://127.0.0.1/objects", [SigningKey("k", b"thirty-two bytes of a signing key")])
LIMITS = BlobLimits(largest=1_000_000)


@pytest.fixture
def quay(database: Database, database_url: str, tmp_path: Path) -> Quay:
    """Uploads that pass through us, onto the disk."""
    item = put_item(database_url, "acme")
    return Quay(Blobs(database, LocalObjects(tmp_path, SIGNER), announce, LIMITS), item, database_url)


@pytest.fixture
def bucket(database: Database, database_url: str) -> Quay:
    """Uploads that pass us by, into a store that the client writes itself."""
    item = put_item(database_url, "acme")
    return Quay(Blobs(database, MemoryObjects(SIGNER), announce, LIMITS), item, database_url)
