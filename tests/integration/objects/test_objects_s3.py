"""S3 as it misbehaves: what its answers become, what a hiccup costs, what a signed URL opens."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import boto3
import httpx2
import pytest
from moto.server import ThreadedMotoServer

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, WindrowError
from windrow.objects import Method, ObjectStore
from windrow.objects.s3 import S3Objects
from windrow.telemetry import redact

CANARY = "s3-canary-secret-key"
BUCKET = "windrow-integration"


def opened(endpoint: str, bucket: str = BUCKET) -> ObjectStore:
    objects = S3Objects(
        bucket, "prefix", endpoint=endpoint, region="us-east-1", access_key_id="key", secret_access_key=CANARY
    )
    return objects.for_tenant("acme")


class Answering:
    """A server that gives every request the next of its answers, and the last one for ever."""

    def __init__(self, *statuses: int) -> None:
        self._statuses = list(statuses)
        self.requests = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        await reader.readexactly(length)
        self.requests += 1
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        writer.write(b'HTTP/1.1 %d X\r\nETag: "e"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' % status)
        await writer.drain()
        writer.close()


@pytest.fixture
async def answering(request: pytest.FixtureRequest) -> AsyncIterator[tuple[ObjectStore, Answering]]:
    answers = Answering(*request.param)
    server = await asyncio.start_server(answers, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield opened(f"http://127.0.0.1:{port}"), answers


@pytest.mark.parametrize(
    ("answering", "kind", "code"),
    [
        ([401], Fatal, Code.UNAUTHORIZED),
        ([403], Fatal, Code.FORBIDDEN),
        ([404], Fatal, Code.CONFIGURATION),
        ([400], RetryableTransient, Code.STORAGE_UNAVAILABLE),
        ([503], RetryableTransient, Code.STORAGE_UNAVAILABLE),
    ],
    indirect=["answering"],
)
async def test_what_s3_answers_to_a_put_is_told_in_our_family(
    answering: tuple[ObjectStore, Answering], kind: type[WindrowError], code: Code
) -> None:
    store, _ = answering

    with pytest.raises(kind) as raised:
        await store.put("a", b"x")

    assert raised.value.code is code
    assert raised.value.hint
    assert "\n" not in raised.value.message
    assert CANARY not in repr(raised.value.__cause__)


@pytest.mark.parametrize("answering", [[503, 200]], indirect=True)
async def test_a_hiccup_is_retried_on_the_way(answering: tuple[ObjectStore, Answering]) -> None:
    store, answers = answering

    await store.put("a", b"x")

    assert answers.requests == 2


@pytest.mark.parametrize("answering", [[409]], indirect=True)
async def test_two_guarded_puts_that_meet_are_a_conflict(answering: tuple[ObjectStore, Answering]) -> None:
    store, _ = answering

    with pytest.raises(Conflict) as absent:
        await store.put_if_absent("a", b"x")
    with pytest.raises(Conflict) as matching:
        await store.put_if_matches("a", b"x", '"e"')

    assert (absent.value.code, matching.value.code) == (Code.ALREADY_EXISTS, Code.CAS_MISMATCH)


async def test_a_store_that_cannot_be_reached_is_transient() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        store = opened(f"http://127.0.0.1:{taken.getsockname()[1]}")

        with pytest.raises(RetryableTransient) as raised:
            await store.get("a")

    assert raised.value.code is Code.STORAGE_UNAVAILABLE


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def s3(endpoint: str) -> "boto3.client":
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key=CANARY,
    )
    client.create_bucket(Bucket=BUCKET)
    return client


@pytest.fixture
def store(endpoint: str, s3: "boto3.client") -> ObjectStore:
    return opened(endpoint)


@pytest.mark.req("EV-13")
async def test_an_object_lies_under_its_prefix_and_tenant(store: ObjectStore, s3: "boto3.client") -> None:
    await store.put("results/a b+ü.json", b"{}", content_type="application/json")

    found = s3.get_object(Bucket=BUCKET, Key="prefix/acme/results/a b+ü.json")
    assert (found["Body"].read(), found["ContentType"]) == (b"{}", "application/json")


async def test_a_bucket_that_does_not_exist_is_told_by_whatever_writes(endpoint: str) -> None:
    store = opened(endpoint, "no-such-bucket")

    with pytest.raises(Fatal) as put:
        await store.put("a", b"x")
    with pytest.raises(Fatal) as written:
        async with store.open_writer("a") as writer:
            await writer.write(b"x")
    with pytest.raises(RetryableTransient) as listed:
        [key async for key in store.list()]

    assert put.value.code is written.value.code is Code.CONFIGURATION
    assert "bucket" in str(listed.value.hint)


async def test_a_signed_url_opens_its_object_for_its_method(store: ObjectStore) -> None:
    key = "uploads/a b+ü%.txt"
    async with httpx2.AsyncClient(timeout=60) as client:
        put = await client.put(await store.signed_url(key, method=Method.PUT), content=b"uploaded")
        got = await client.get(await store.signed_url(key))

    assert (put.status_code, got.content) == (200, b"uploaded")
    assert await store.get(key) == b"uploaded"


async def test_a_signed_url_says_how_long_it_lives(store: ObjectStore) -> None:
    url = await store.signed_url("a", expires_in=timedelta(minutes=5))

    assert parse_qs(urlsplit(url).query)["X-Amz-Expires"] == ["300"]
    assert urlsplit(url).path == f"/{BUCKET}/prefix/acme/a"


async def test_no_parts_are_left_of_an_upload_that_failed(store: ObjectStore, s3: "boto3.client") -> None:
    with pytest.raises(RuntimeError):
        async with store.open_writer("big") as writer:
            await writer.write(b"x" * 20 * 1024 * 1024)
            raise RuntimeError("the source broke off")

    assert "Uploads" not in s3.list_multipart_uploads(Bucket=BUCKET)


@pytest.mark.req("LT-3")
async def test_the_key_of_the_store_is_known_to_the_redactor(store: ObjectStore) -> None:
    assert CANARY not in redact(f"configured with {CANARY}")
