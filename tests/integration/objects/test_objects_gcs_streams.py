"""Large objects in Google Cloud Storage: parts that break on the way, uploads that end, bytes that are not what was sent."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import google_crc32c
import pytest
from starlette.requests import Request
from tests.fakes.gcs import FakeGcs
from tests.fakes.gcs.server import BUCKET
from tests.fakes.gcs.shelf import Kept
from tests.fakes.gcs.uploads import STEP

from windrow.contracts.errors import Code, Conflict, RetryableTransient
from windrow.objects import ObjectStore
from windrow.objects.gcs import GcsObjects
from windrow.objects.gcs.session import PART

LARGE = bytes(range(256)) * (PART // 256) + b"and a bit"
NAME = "acme/a"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeGcs]:
    with FakeGcs() as fake:
        yield fake


@pytest.fixture
def gcs(server: FakeGcs) -> FakeGcs:
    server.shelf.objects.clear()
    server.uploads.open.clear()
    server.uploads.cancelled.clear()
    server.requests.clear()
    server.failing.clear()
    server.is_public, server.before = True, None
    return server


@pytest.fixture
def store(gcs: FakeGcs) -> ObjectStore:
    return GcsObjects(BUCKET, endpoint=gcs.base_url, patience=timedelta(seconds=15)).for_tenant("acme")


async def write(store: ObjectStore, data: bytes) -> None:
    async with store.open_writer("a", content_type="video/mp4") as writer:
        await writer.write(data)


async def test_what_is_small_is_written_in_one_request(gcs: FakeGcs, store: ObjectStore) -> None:
    await write(store, b"x" * PART)

    assert gcs.asked("POST", "PUT") == [f"POST /upload/storage/v1/b/{BUCKET}/o?uploadType=multipart"]


async def test_a_part_of_which_little_was_taken_is_sent_on_from_there(gcs: FakeGcs, store: ObjectStore) -> None:
    gcs.uploads.takes = 3 * STEP

    await write(store, LARGE)

    kept = gcs.shelf.objects[NAME]
    assert (kept.data == LARGE, kept.content_type) == (True, "video/mp4")
    assert len(gcs.asked("PUT")) == 3


@pytest.mark.parametrize("which", [1, 2], ids=["first part", "last part"])
async def test_a_part_whose_answer_was_lost_is_not_sent_twice(gcs: FakeGcs, store: ObjectStore, which: int) -> None:
    parts: list[int] = []

    def losing(request: Request) -> None:
        if request.method == "PUT":
            parts.append(int(request.headers["content-length"]))
            if len(parts) == which:
                gcs.loses()

    gcs.before = losing
    await write(store, LARGE)

    assert gcs.shelf.objects[NAME].data == LARGE
    # two parts, and between them the question how far it got
    assert sorted(parts) == [0, len(LARGE) - PART, PART]


async def test_an_upload_that_google_has_lost_is_transient_and_leaves_nothing(gcs: FakeGcs, store: ObjectStore) -> None:
    with pytest.raises(RetryableTransient) as raised:
        async with store.open_writer("a") as writer:
            await writer.write(LARGE)
            gcs.uploads.open.clear()

    assert raised.value.code is Code.STORAGE_UNAVAILABLE
    assert gcs.shelf.objects == {}


async def test_a_writer_that_goes_on_after_a_part_was_lost_cannot_leave_a_hole(
    gcs: FakeGcs, store: ObjectStore
) -> None:
    with pytest.raises(RetryableTransient):
        async with store.open_writer("a") as writer:
            await writer.write(LARGE)
            gcs.fails(400)
            with pytest.raises(Exception, match="answered 400"):
                await writer.write(LARGE)

    assert gcs.shelf.objects == {}
    assert len(gcs.uploads.cancelled) == 1


async def test_an_upload_that_fails_is_cancelled(gcs: FakeGcs, store: ObjectStore) -> None:
    with pytest.raises(RuntimeError):
        async with store.open_writer("a") as writer:
            await writer.write(LARGE)
            assert len(gcs.uploads.open) == 1
            raise RuntimeError("the source broke off")

    assert (gcs.uploads.open, len(gcs.uploads.cancelled), gcs.shelf.objects) == ({}, 1, {})


async def test_a_large_put_is_guarded_as_a_small_one(gcs: FakeGcs, store: ObjectStore) -> None:
    etag = await store.put_if_absent("a", LARGE)
    with pytest.raises(Conflict) as absent:
        await store.put_if_absent("a", LARGE + b"2")
    later = await store.put_if_matches("a", LARGE + b"3", etag)
    with pytest.raises(Conflict) as matching:
        await store.put_if_matches("a", LARGE + b"4", etag)

    assert (absent.value.code, matching.value.code) == (Code.ALREADY_EXISTS, Code.CAS_MISMATCH)
    kept = gcs.shelf.objects[NAME]
    assert (str(kept.generation), kept.data[-1:]) == (later, b"3")


async def test_a_large_put_that_another_overtakes_is_refused_and_forgotten(gcs: FakeGcs, store: ObjectStore) -> None:
    def meanwhile(request: Request) -> None:
        if request.method == "PUT" and NAME not in gcs.shelf.objects:
            gcs.shelf.put(NAME, b"somebody else's")

    gcs.before = meanwhile
    with pytest.raises(Conflict) as raised:
        await store.put_if_absent("a", LARGE)

    assert raised.value.code is Code.ALREADY_EXISTS
    assert gcs.shelf.objects[NAME].data == b"somebody else's"
    assert len(gcs.uploads.cancelled) == 1


# reading


async def test_a_reader_goes_on_where_the_connection_broke(gcs: FakeGcs, store: ObjectStore) -> None:
    kept = gcs.shelf.put(NAME, LARGE)
    gcs.cut = 3_000_000

    assert await store.get("a") == LARGE
    assert gcs.asked("GET")[1].endswith(f"alt=media&generation={kept.generation}")
    assert 0 < int(gcs.requests[1].headers["range"].strip("bytes=-")) <= 3_000_000


async def test_a_broken_reader_never_goes_on_in_another_version(gcs: FakeGcs, store: ObjectStore) -> None:
    gcs.shelf.put(NAME, LARGE)
    gcs.cut = 3_000_000

    with pytest.raises(Conflict) as raised:
        async with store.open_reader("a") as reader:
            gcs.shelf.put(NAME, LARGE[::-1])
            [chunk async for chunk in reader]

    assert raised.value.code is Code.CAS_MISMATCH


@dataclass(frozen=True)
class Damaged(Kept):
    crc32c = "AAAAAA=="
    md5 = "AAAAAAAAAAAAAAAAAAAAAA=="


@pytest.mark.parametrize("implementation", ["c", "python"])
async def test_bytes_that_are_not_those_that_were_kept_are_noticed(
    gcs: FakeGcs, store: ObjectStore, monkeypatch: pytest.MonkeyPatch, implementation: str
) -> None:
    monkeypatch.setattr(google_crc32c, "implementation", implementation)
    kept = gcs.shelf.put(NAME, b"x")
    gcs.shelf.objects[NAME] = Damaged(kept.name, kept.data, kept.content_type, kept.generation)

    with pytest.raises(RetryableTransient, match="not those that were sent"):
        await store.get("a")


@pytest.mark.parametrize("implementation", ["c", "python"])
@pytest.mark.parametrize("size", [10, PART + 10], ids=["small", "large"])
async def test_bytes_that_change_on_the_way_to_google_are_refused(
    gcs: FakeGcs, store: ObjectStore, monkeypatch: pytest.MonkeyPatch, implementation: str, size: int
) -> None:
    monkeypatch.setattr(google_crc32c, "implementation", implementation)
    make = gcs.uploads._make
    monkeypatch.setattr(gcs.uploads, "_make", lambda metadata, query, data: make(metadata, query, b"?" + data[1:]))

    with pytest.raises(Exception, match="doesn't match calculated"):
        await store.put("a", b"x" * size)

    assert gcs.shelf.objects == {}
