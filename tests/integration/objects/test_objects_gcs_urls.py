"""URLs that let in whoever has them: signed with the key of a service account, checked as Google does."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from google.oauth2.service_account import Credentials
from tests.fakes.gcs import FakeGcs
from tests.fakes.gcs.server import BUCKET

from windrow.contracts.errors import Code, Fatal
from windrow.objects import Method, ObjectStore, open_objects
from windrow.objects.gcs import GcsObjects


@pytest.fixture(scope="module")
def gcs() -> Iterator[FakeGcs]:
    with FakeGcs() as fake:
        yield fake


@pytest.fixture
def store(gcs: FakeGcs) -> ObjectStore:
    account = Credentials.from_service_account_info(gcs.account())
    return GcsObjects(BUCKET, "prefix", endpoint=gcs.base_url, credentials=account).for_tenant("acme")


async def test_a_signed_url_opens_its_object_for_its_method_and_nothing_else(store: ObjectStore) -> None:
    key = "uploads/a b+ü%~.txt"
    async with httpx2.AsyncClient(timeout=60) as client:
        put = await client.put(await store.signed_url(key, method=Method.PUT), content=b"uploaded")
        url = await store.signed_url(key)
        got = await client.get(url)
        others = [await client.put(url, content=b"x"), await client.get(url.replace("uploads", "others"))]

    assert (put.status_code, got.content) == (200, b"uploaded")
    assert [other.status_code for other in others] == [403, 403]
    assert await store.get(key) == b"uploaded"


@pytest.mark.req("EV-13")
async def test_the_key_in_the_environment_signs(gcs: FakeGcs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "account.json"
    key.write_text(json.dumps(gcs.account()))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
    asked = len(gcs.requests)

    url = urlsplit(
        await open_objects(f"gs://{BUCKET}").for_tenant("acme").signed_url("a", expires_in=timedelta(minutes=5))
    )

    assert (url.netloc, url.path) == ("storage.googleapis.com", f"/{BUCKET}/acme/a")
    assert parse_qs(url.query)["X-Goog-Expires"] == ["300"]
    # that needs no word of Google's
    assert len(gcs.requests) == asked


async def test_whoever_has_no_key_is_told_that_it_takes_one(gcs: FakeGcs) -> None:
    with pytest.raises(Fatal) as raised:
        await GcsObjects(BUCKET, endpoint=gcs.base_url).for_tenant("acme").signed_url("a")

    assert raised.value.code is Code.CONFIGURATION
    assert "GOOGLE_APPLICATION_CREDENTIALS" in str(raised.value.hint)
