"""Uploads that pass us by: the client writes to S3 itself, and `complete` looks at what came."""

import logging
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID
from moto.server import ThreadedMotoServer
from tests.integration.blobs.items import put_item
from tests.integration.console.house import BYTES, Passport, sha256

from windrow.blobs import BlobLimits, Blobs
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.objects.s3 import S3Objects
from windrow.postgres import Database
from windrow.web.limits import ServerLimits
from windrow.web.server import bind, door_of, names_of, serving


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"].create_bucket("windrow-blobs", "us-east-1")
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
async def api(endpoint: str, database: Database) -> AsyncIterator[httpx2.AsyncClient]:
    """The application over S3, and a client of acme's."""
    objects = S3Objects(
        "windrow-blobs", endpoint=endpoint, region="us-east-1", access_key_id="k", secret_access_key="s" * 16
    )
    listening = bind("127.0.0.1", 0)
    blobs = Blobs(database, objects, announce, BlobLimits(largest=1_000_000))
    app = application(blobs, Passport(), hosts=names_of(listening))
    headers = {"authorization": "Bearer token-of-acme"}
    async with (
        serving(app, listening, ServerLimits(shutdown_seconds=1)),
        httpx2.AsyncClient(
            base_url=f"http://{door_of(listening)}", headers=headers, trust_env=False, timeout=60
        ) as client,
    ):
        yield client


@pytest.mark.req("HV-41")
async def test_content_goes_to_s3_and_is_linked_when_it_is_what_was_announced(
    api: httpx2.AsyncClient, database: Database, endpoint: str
) -> None:
    wanted = {"item": str(put_item(database.url, "acme")), "media_type": "video/mp4", "size": len(BYTES)}
    ticket = (await api.post("/v1/blobs", json=wanted | {"sha256": sha256(BYTES)})).json()
    upload = ticket["upload"]
    assert upload["url"].startswith(endpoint)

    async with httpx2.AsyncClient(trust_env=False, timeout=60) as stranger:
        early = await api.post(ticket["complete"])
        assert (early.status_code, early.json()["code"]) == (409, "NOT_FOUND")
        await stranger.put(upload["url"], content=b"x" * len(BYTES), headers=upload["headers"])
        wrong = await api.post(ticket["complete"])
        assert (wrong.status_code, wrong.json()["code"]) == (422, "INVALID_VALUE")
        await stranger.put(upload["url"], content=BYTES, headers=upload["headers"])
        done = await api.post(ticket["complete"])
        assert (done.status_code, done.json()["state"]) == (200, "linked")

        # S3 lets the URL be used again until it expires; the blob is another object
        await stranger.put(upload["url"], content=b"replaced", headers=upload["headers"])
        fetch = (await api.post(f"/v1/blobs/{ticket['blob_id']}/download")).json()["download"]
        assert (await stranger.get(fetch["url"])).content == BYTES


async def test_more_than_is_taken_is_refused_when_it_is_completed(api: httpx2.AsyncClient, database: Database) -> None:
    wanted = {"item": str(put_item(database.url, "acme")), "media_type": "video/mp4"}
    ticket = (await api.post("/v1/blobs", json=wanted)).json()
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as stranger:
        await stranger.put(ticket["upload"]["url"], content=b"x" * 1_000_001)

    refused = await api.post(ticket["complete"])

    assert (refused.status_code, refused.json()["code"]) == (413, "TOO_LARGE")
