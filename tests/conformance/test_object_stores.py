"""One suite for every kind of object store: whatever holds here holds wherever the objects lie."""

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.oauth2.service_account import Credentials
from moto.backends import get_backend
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer
from tests.fakes.gcs import FakeGcs
from tests.fakes.gcs.server import BUCKET as GCS_BUCKET

from windrow.contracts.errors import Code, Conflict, Fatal, ValidationFailure, WindrowError
from windrow.objects import Method, Objects, ObjectStore
from windrow.objects.content_type import OCTETS
from windrow.objects.gcs import GcsObjects
from windrow.objects.identity import identified, identity
from windrow.objects.keys import OWN
from windrow.objects.local import LocalObjects
from windrow.objects.memory import MemoryObjects
from windrow.objects.s3 import S3Objects
from windrow.objects.signing import SigningKey, UrlSigner

BUCKET = "windrow-conformance"
SIGNER = UrlSigner("https://windrow.example/objects", [SigningKey("k1", b"0" * 32)])
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def s3_endpoint() -> Iterator[str]:
    """A server that speaks S3, with a bucket."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    put, turn = S3Response.put_object, threading.Lock()

    def one_at_a_time(self: S3Response) -> Any:
        with turn:
            return put(self)

    with pytest.MonkeyPatch.context() as patch:
        # S3 compares and writes in one step; between the two, this server's threads would overtake one another
        patch.setattr(S3Response, "put_object", one_at_a_time)
        server = ThreadedMotoServer("127.0.0.1", port=0)
        server.start()
        host, port = server.get_host_and_port()
        get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(BUCKET, "us-east-1")
        yield f"http://{host}:{port}"
        server.stop()


@pytest.fixture(scope="module")
def gcs() -> Iterator[FakeGcs]:
    """A server that speaks the JSON API of Cloud Storage, with a bucket."""
    with FakeGcs() as fake:
        yield fake


@pytest.fixture(scope="module")
def gcs_objects(gcs: FakeGcs) -> GcsObjects:
    account = Credentials.from_service_account_info(gcs.account())
    return GcsObjects(GCS_BUCKET, "p", endpoint=gcs.base_url, credentials=account)


@pytest.fixture(params=["local", "memory", "s3", "gcs"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def objects(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Objects:
    match kind:
        case "local":
            return LocalObjects(tmp_path / "objects", SIGNER)
        case "memory":
            return MemoryObjects(SIGNER)
        case "gcs":
            request.getfixturevalue("gcs").shelf.objects.clear()
            return request.getfixturevalue("gcs_objects")
        case _:
            endpoint = request.getfixturevalue("s3_endpoint")
            # a place of its own for every test
            prefix = f"p{os.urandom(6).hex()}"
            return S3Objects(
                BUCKET, prefix, endpoint=endpoint, region="us-east-1", access_key_id="k", secret_access_key="s" * 16
            )


@pytest.fixture
def store(objects: Objects) -> ObjectStore:
    return objects.for_tenant("acme")


async def keys(store: ObjectStore, prefix: str = "", after: str | None = None) -> list[str]:
    return [listed.key async for listed in store.list(prefix, after=after)]


async def outcomes(calls: Iterable[object]) -> list[object]:
    return list(await asyncio.gather(*calls, return_exceptions=True))  # type: ignore[call-overload]


# put, get, head, delete


@pytest.mark.req("EV-13")
async def test_what_is_put_is_got(store: ObjectStore) -> None:
    await store.put("jobs/Queued/42.json", b'{"id": 42}')

    assert await store.get("jobs/Queued/42.json") == b'{"id": 42}'


async def test_a_put_replaces_what_was_there(store: ObjectStore) -> None:
    first = await store.put("a", b"first, and longer")
    second = await store.put("a", b"second")

    assert await store.get("a") == b"second"
    assert first != second


async def test_the_head_tells_size_etag_time_and_content_type(store: ObjectStore) -> None:
    etag = await store.put("clips/42.mp4", b"12345", content_type="video/mp4")

    head = await store.head("clips/42.mp4")
    assert head is not None
    assert (head.key, head.size, head.etag, head.content_type) == ("clips/42.mp4", 5, etag, "video/mp4")
    assert abs(head.updated - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("key", ["plain", "data.json", "clip.mp4"])
@pytest.mark.parametrize("content_type", [OCTETS, "application/json", 'text/plain; charset="utf-8"'])
async def test_the_content_type_is_kept_whatever_the_name_suggests(
    store: ObjectStore, key: str, content_type: str
) -> None:
    await store.put(key, b"x", content_type="application/x-before")
    await store.put(key, b"x", content_type=content_type)

    head = await store.head(key)
    assert head is not None
    assert head.content_type == content_type


async def test_a_put_without_a_content_type_is_octets(store: ObjectStore) -> None:
    await store.put("page.html", b"x")

    head = await store.head("page.html")
    assert head is not None
    assert head.content_type == OCTETS


async def test_an_object_can_be_empty(store: ObjectStore) -> None:
    await store.put("empty", b"")

    head = await store.head("empty")
    assert head is not None
    assert head.size == 0
    assert await store.get("empty") == b""
    assert await keys(store) == ["empty"]


async def test_what_is_not_there_has_no_head_and_cannot_be_got(store: ObjectStore) -> None:
    assert await store.head("absent") is None
    with pytest.raises(ValidationFailure) as raised:
        await store.get("absent")

    assert raised.value.code is Code.NOT_FOUND
    assert "'absent'" in raised.value.message


async def test_a_deleted_object_is_gone_and_deleting_again_changes_nothing(store: ObjectStore) -> None:
    await store.put("a/b/c", b"x")

    await store.delete("a/b/c")
    await store.delete("a/b/c")
    await store.delete("never/was")

    assert await store.head("a/b/c") is None
    assert await keys(store) == []


async def test_a_large_object_is_not_got_by_accident(store: ObjectStore) -> None:
    await store.put("large", b"x" * 1001)

    with pytest.raises(ValidationFailure) as raised:
        await store.get("large", limit=1000)

    assert raised.value.code is Code.TOO_LARGE
    assert len(await store.get("large", limit=1001)) == 1001


# guards


async def test_put_if_absent_writes_once(store: ObjectStore) -> None:
    await store.put_if_absent("a", b"first")

    with pytest.raises(Conflict) as raised:
        await store.put_if_absent("a", b"second")

    assert raised.value.code is Code.ALREADY_EXISTS
    assert await store.get("a") == b"first"


async def test_of_twenty_that_put_if_absent_exactly_one_succeeds(store: ObjectStore) -> None:
    results = await outcomes(store.put_if_absent("race", b"%d" % number) for number in range(20))

    winners = [number for number, result in enumerate(results) if isinstance(result, str)]
    assert len(winners) == 1
    assert all(isinstance(result, Conflict) for result in results if not isinstance(result, str))
    assert await store.get("race") == b"%d" % winners[0]


async def test_put_if_absent_succeeds_again_after_a_delete(store: ObjectStore) -> None:
    await store.put_if_absent("a", b"first")
    await store.delete("a")

    await store.put_if_absent("a", b"second")

    assert await store.get("a") == b"second"


async def test_put_if_matches_writes_over_what_was_read(store: ObjectStore) -> None:
    etag = await store.put("a", b"first")

    later = await store.put_if_matches("a", b"second", etag, content_type="text/plain")

    head = await store.head("a")
    assert head is not None
    assert (head.etag, head.content_type, await store.get("a")) == (later, "text/plain", b"second")


async def test_put_if_matches_refuses_over_anything_else(store: ObjectStore) -> None:
    etag = await store.put("a", b"first")
    await store.put("a", b"somebody else's")

    with pytest.raises(Conflict) as raised:
        await store.put_if_matches("a", b"second", etag)

    assert raised.value.code is Code.CAS_MISMATCH
    assert await store.get("a") == b"somebody else's"


async def test_put_if_matches_does_not_bring_a_deleted_object_back(store: ObjectStore) -> None:
    etag = await store.put("a", b"first")
    await store.delete("a")

    with pytest.raises(Conflict):
        await store.put_if_matches("a", b"second", etag)

    assert await store.head("a") is None


async def test_of_twenty_that_read_the_same_etag_exactly_one_writes(store: ObjectStore) -> None:
    etag = await store.put("counter", b"start")

    results = await outcomes(store.put_if_matches("counter", b"%d" % number, etag) for number in range(20))

    winners = [number for number, result in enumerate(results) if isinstance(result, str)]
    assert len(winners) == 1
    assert await store.get("counter") == b"%d" % winners[0]


async def test_no_increment_is_lost_among_writers_that_retry(store: ObjectStore) -> None:
    await store.put("counter", b"0")

    async def increment() -> None:
        while True:
            async with store.open_reader("counter") as reader:
                value = int(b"".join([chunk async for chunk in reader]))
            try:
                await store.put_if_matches("counter", b"%d" % (value + 1), reader.head.etag)
            except Conflict:
                continue
            return

    await asyncio.gather(*(increment() for _ in range(8)))

    assert await store.get("counter") == b"8"


async def test_a_guard_is_not_fooled_by_a_put_of_the_same_size_at_once(store: ObjectStore) -> None:
    seen = set()
    for number in range(10):
        seen.add(await store.put("a", b"%d" % number))

    assert len(seen) == 10


# streams


async def pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for number in range(count):
        yield bytes([number % 256]) * size


async def test_twenty_megabytes_pass_through_piece_by_piece(store: ObjectStore) -> None:
    async with store.open_writer("big/object", content_type="video/mp4") as writer:
        async for piece in pieces(20, MEGABYTE):
            await writer.write(piece)

    async with store.open_reader("big/object") as reader:
        chunks = [chunk async for chunk in reader]

    assert (reader.head.size, reader.head.content_type) == (20 * MEGABYTE, "video/mp4")
    assert max(map(len, chunks)) <= MEGABYTE
    assert b"".join(chunks) == b"".join([piece async for piece in pieces(20, MEGABYTE)])


async def test_a_file_is_put_without_being_loaded(store: ObjectStore, tmp_path: Path) -> None:
    source = tmp_path / "clip.mp4"
    source.write_bytes(os.urandom(3 * MEGABYTE + 1))

    await store.put_file("results/1/clip.mp4", source, content_type="video/mp4")

    assert await store.get("results/1/clip.mp4") == source.read_bytes()


async def test_a_file_that_is_not_there_is_told_and_puts_nothing(store: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(ValidationFailure) as raised:
        await store.put_file("a", tmp_path / "absent")

    assert raised.value.code is Code.NOT_FOUND
    assert await keys(store) == []


async def test_a_writer_that_writes_nothing_makes_an_empty_object(store: ObjectStore) -> None:
    async with store.open_writer("empty"):
        pass

    assert await store.get("empty") == b""


async def test_nothing_is_seen_before_the_writer_is_done(store: ObjectStore) -> None:
    async with store.open_writer("a") as writer:
        await writer.write(b"half")
        assert await store.head("a") is None
        assert await keys(store) == []

    assert await store.get("a") == b"half"


@pytest.mark.parametrize("size", [10, 17 * MEGABYTE], ids=["small", "large"])
async def test_a_writer_that_fails_leaves_what_was_there(store: ObjectStore, size: int) -> None:
    await store.put("a", b"before")

    with pytest.raises(RuntimeError, match="the source broke off"):
        async with store.open_writer("a") as writer:
            await writer.write(b"x" * size)
            raise RuntimeError("the source broke off")

    assert await store.get("a") == b"before"
    assert await keys(store) == ["a"]


async def test_a_cancelled_writer_leaves_nothing(store: ObjectStore) -> None:
    written = asyncio.Event()

    async def write() -> None:
        async with store.open_writer("a") as writer:
            await writer.write(b"x")
            written.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await keys(store) == []


async def test_a_reader_sees_one_version_whatever_is_put_meanwhile(store: ObjectStore) -> None:
    await store.put("a", b"1" * 3 * MEGABYTE, content_type="text/one")

    async with store.open_reader("a") as reader:
        await store.put("a", b"2" * 3 * MEGABYTE, content_type="text/two")
        content = b"".join([chunk async for chunk in reader])

    assert reader.head.content_type == "text/one"
    assert set(content) == {ord("1")}


async def test_a_readers_own_error_passes_as_it_is(store: ObjectStore) -> None:
    await store.put("a", b"x")

    with pytest.raises(KeyError):
        async with store.open_reader("a"):
            raise KeyError("mine")


# keys

ODD = [
    "a b",
    " leading",
    "trailing ",
    " ",
    "per%cent",
    "%2e%2e/%2F",
    "plus+plus",
    "quest?ion#hash&amp;=;,",
    "star*[x]{y}|<z>\"'^`~!$@(:)",
    "é/ü/日本/😀",
    "e\u0301",
    "zero\u200dwidth",
    "nbsp\u00a0",
    "...",
    "..a/b..",
    ".hidden",
    ".drafts/x",
    ".types/1/x",
    "1",
    "1/1",
    "CON",
    "UPPER",
    "upper",
    "x" * 200,
    "ü" * 100,
    "/".join(["y" * 99] * 9),
    "/".join("d" * 40),
]


@pytest.mark.parametrize("key", ODD, ids=lambda key: ascii(key)[1:30])
async def test_an_odd_key_names_its_object_everywhere(store: ObjectStore, key: str) -> None:
    await store.put(key, key.encode(), content_type="text/odd")
    head = await store.head(key)
    assert head is not None
    assert (head.key, head.content_type, await store.get(key)) == (key, "text/odd", key.encode())

    await store.copy_if_absent(key, "copied")
    assert await keys(store) == sorted([key, "copied"])
    await store.delete("copied")
    await store.move(key, "moved")
    assert await keys(store) == ["moved"]


async def test_odd_keys_live_side_by_side_in_byte_order(store: ObjectStore) -> None:
    await asyncio.gather(*(store.put(key, b"x") for key in ODD))

    assert await keys(store) == sorted(ODD, key=str.encode)


@pytest.mark.parametrize("key", ["/abs", "a/../b", "a\\b", "a\x00b"], ids=lambda key: ascii(key)[1:30])
async def test_a_malformed_key_is_refused_by_every_verb(store: ObjectStore, key: str) -> None:
    await store.put("good", b"x")
    calls = [
        store.put(key, b""),
        store.put_if_absent(key, b""),
        store.put_if_matches(key, b"", "e"),
        store.get(key),
        store.head(key),
        store.delete(key),
        store.copy("good", key),
        store.copy(key, "good"),
        store.move(key, "better"),
        store.move("good", key),
        store.signed_url(key),
        _written(store, key),
    ]
    for result in await outcomes(calls):
        assert isinstance(result, ValidationFailure)
        assert result.code is Code.INVALID_KEY
    assert await keys(store) == ["good"]


async def _written(store: ObjectStore, key: str) -> None:
    async with store.open_writer(key):
        pass


async def test_a_key_may_be_an_object_and_the_folder_of_others(store: ObjectStore) -> None:
    for key in ("a/b/c", "a", "a/b", "a/b/c/d", "a.b", "a-b/c"):
        await store.put(key, key.encode())

    assert await keys(store) == ["a", "a-b/c", "a.b", "a/b", "a/b/c", "a/b/c/d"]
    await store.delete("a/b")
    assert await store.get("a") == b"a"
    assert await store.get("a/b/c") == b"a/b/c"
    assert await keys(store, "a") == ["a/b/c", "a/b/c/d"]


@pytest.mark.parametrize("content_type", ["", "text", "text/html\r\nX-Evil: 1", "text/html\n", "a/b; c", "x" * 300])
async def test_a_content_type_that_is_none_is_refused(store: ObjectStore, content_type: str) -> None:
    with pytest.raises(ValidationFailure) as raised:
        await store.put("a", b"x", content_type=content_type)

    assert raised.value.code is Code.CONTENT_TYPE


# tenants


async def test_no_tenant_reaches_anothers_objects(objects: Objects) -> None:
    acme, other, longer = (objects.for_tenant(name) for name in ("acme", "other", "acme2"))
    await acme.put("a", b"acme's")
    await longer.put("b", b"acme2's")

    assert await other.head("a") is None
    assert await keys(acme) == ["a"]
    assert await keys(other) == []
    await other.delete("a")
    await other.put("a", b"other's")
    assert await acme.get("a") == b"acme's"


@pytest.mark.parametrize("tenant", ["", "..", "a/b", "A", ".drafts", "a\x00"])
async def test_a_tenant_that_is_not_a_name_has_no_store(objects: Objects, tenant: str) -> None:
    with pytest.raises(ValidationFailure):
        objects.for_tenant(tenant)


# listings


async def test_a_folder_lists_what_is_below_it_and_nothing_beside_it(store: ObjectStore) -> None:
    for key in ("jobs/Queued/1", "jobs/Queued/2", "jobs/Queued2/3", "jobs/Queue", "jobs/Queued", "x"):
        await store.put(key, b"")

    assert await keys(store, "jobs/Queued") == await keys(store, "jobs/Queued/") == ["jobs/Queued/1", "jobs/Queued/2"]
    assert await keys(store, "jobs/absent") == []


async def test_a_listing_tells_size_etag_and_time(store: ObjectStore) -> None:
    etag = await store.put("a", b"12345")

    (listed,) = [listed async for listed in store.list()]
    assert (listed.size, listed.etag) == (5, etag)
    assert abs(listed.updated - datetime.now(UTC)) < timedelta(minutes=1)


async def test_a_listing_of_several_pages_is_whole_and_in_order(
    store: ObjectStore, kind: str, objects: Objects, tmp_path: Path, gcs: FakeGcs
) -> None:
    names = [f"many/{number // 500}/{number:05}" for number in range(2500)]
    await seed(kind, objects, tmp_path, gcs, names)

    assert await keys(store, "many") == names


async def test_a_listing_goes_on_after_a_key(store: ObjectStore) -> None:
    names = ["a", "a/b", "a/c/d", "a/c/e", "b", "b/c"]
    for name in names:
        await store.put(name, b"")

    for number, name in enumerate(names):
        assert await keys(store, after=name) == names[number + 1 :]
    assert await keys(store, after="a/c/d0") == ["a/c/e", "b", "b/c"]
    assert await keys(store, "a", after="a/b") == ["a/c/d", "a/c/e"]


async def test_a_listing_survives_what_is_deleted_during_it(store: ObjectStore) -> None:
    for number in range(10):
        await store.put(f"a/{number}/x", b"")

    seen = []
    async for listed in store.list("a"):
        seen.append(listed.key)
        await store.delete(listed.key)

    assert len(seen) == 10
    assert await keys(store) == []


async def seed(kind: str, objects: Objects, tmp_path: Path, gcs: FakeGcs, names: list[str]) -> None:
    """Many objects at once, past the store under test: what is tested with them is the listing."""
    if kind == "s3":
        assert isinstance(objects, S3Objects)
        backend = get_backend("s3")[DEFAULT_ACCOUNT_ID]["aws"]
        for name in names:
            backend.put_object(BUCKET, f"{objects._prefix}/acme/{name}", b"")
    elif kind == "gcs":
        for name in names:
            gcs.shelf.put(f"p/acme/{name}", b"")
    elif kind == "local":
        for name in names:
            path = tmp_path / "objects" / "acme" / "3" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    else:
        for name in names:
            await objects.for_tenant("acme").put(name, b"")


# copies and moves


async def test_a_copy_has_the_bytes_and_the_content_type(store: ObjectStore) -> None:
    await store.put("a", b"content", content_type="application/json")

    await store.copy("a", "b.mp4")
    await store.copy_if_absent("a", "c/d")

    for key in ("a", "b.mp4", "c/d"):
        head = await store.head(key)
        assert head is not None
        assert (head.content_type, await store.get(key)) == ("application/json", b"content")


async def test_a_copy_replaces_and_a_guarded_one_does_not(store: ObjectStore) -> None:
    await store.put("a", b"new")
    await store.put("b", b"old")

    with pytest.raises(Conflict) as raised:
        await store.copy_if_absent("a", "b")
    assert raised.value.code is Code.ALREADY_EXISTS
    assert await store.get("b") == b"old"

    await store.copy("a", "b")
    assert await store.get("b") == b"new"


async def test_an_empty_object_can_be_copied_and_moved(store: ObjectStore) -> None:
    await store.put("a", b"", content_type="text/none")

    await store.copy_if_absent("a", "b")
    await store.move("b", "c")

    head = await store.head("c")
    assert head is not None
    assert (head.size, head.content_type) == (0, "text/none")


async def test_a_move_leaves_nothing_behind(store: ObjectStore) -> None:
    await store.put("jobs/Queued/1.json", b"{}", content_type="application/json")

    await store.move("jobs/Queued/1.json", "jobs/Processing/1.json")

    assert await keys(store) == ["jobs/Processing/1.json"]
    head = await store.head("jobs/Processing/1.json")
    assert head is not None
    assert head.content_type == "application/json"


async def test_a_move_onto_an_object_changes_neither(store: ObjectStore) -> None:
    await store.put("a", b"mover")
    await store.put("b", b"there already")

    with pytest.raises(Conflict) as raised:
        await store.move("a", "b")

    assert raised.value.code is Code.ALREADY_EXISTS
    assert (await store.get("a"), await store.get("b")) == (b"mover", b"there already")


@pytest.mark.parametrize("verb", ["copy", "copy_if_absent", "move"])
async def test_what_is_not_there_cannot_be_copied_or_moved(store: ObjectStore, verb: str) -> None:
    await store.put("b", b"there already")

    for target in ("b", "c"):
        with pytest.raises(ValidationFailure) as raised:
            await getattr(store, verb)("absent", target)
        assert raised.value.code is Code.NOT_FOUND
        assert "'absent'" in raised.value.message
    assert await keys(store) == ["b"]


@pytest.mark.parametrize("verb", ["copy", "copy_if_absent", "move"])
async def test_an_object_cannot_go_onto_itself(store: ObjectStore, verb: str) -> None:
    await store.put("a", b"x")

    with pytest.raises(ValidationFailure):
        await getattr(store, verb)("a", "a")

    assert await store.get("a") == b"x"


async def test_of_twenty_copies_to_one_place_exactly_one_succeeds(store: ObjectStore) -> None:
    for number in range(20):
        await store.put(f"from/{number}", b"%d" % number)

    results = await outcomes(store.copy_if_absent(f"from/{number}", "to") for number in range(20))

    winners = [number for number, result in enumerate(results) if result is None]
    assert len(winners) == 1
    assert await store.get("to") == b"%d" % winners[0]


async def test_everybody_writing_everywhere_leaves_whole_objects(store: ObjectStore) -> None:
    contents = [bytes([number]) * 5000 for number in range(4)]

    async def work(number: int) -> None:
        for turn in range(6):
            key = f"shared/{(number + turn) % 3}"
            await store.put(key, contents[number], content_type=f"text/x{number}")
            if turn % 3 == 2:
                await store.delete(key)
            elif (head := await store.head(key)) is not None:
                assert head.content_type in {f"text/x{other}" for other in range(4)}

    await asyncio.gather(*(work(number) for number in range(4)))

    for key in await keys(store):
        async with store.open_reader(key) as reader:
            content = b"".join([chunk async for chunk in reader])
        assert content in contents
        assert reader.head.content_type == f"text/x{content[0]}"


# signed URLs


@pytest.mark.parametrize("lifetime", [timedelta(minutes=15, seconds=1), timedelta(0), timedelta(seconds=-1)])
async def test_a_signed_url_lives_for_fifteen_minutes_at_most(store: ObjectStore, lifetime: timedelta) -> None:
    with pytest.raises(ValidationFailure):
        await store.signed_url("a", expires_in=lifetime)


async def test_signed_urls_are_for_one_tenant_one_key_and_one_method(objects: Objects) -> None:
    acme, other = objects.for_tenant("acme"), objects.for_tenant("other")

    urls = [
        await acme.signed_url("a"),
        await acme.signed_url("b"),
        await acme.signed_url("a", method=Method.PUT),
        await other.signed_url("a"),
    ]

    proofs = {url.rpartition("=")[2].rpartition(".")[2] for url in urls}
    assert len(proofs) == 4
    assert "/acme/a?" in urls[0]
    assert "/other/a?" in urls[3]


async def test_errors_are_of_our_family_and_one_line(store: ObjectStore) -> None:
    for call in (store.get("absent"), store.copy("absent", "b"), store.put("", b"")):
        with pytest.raises(WindrowError) as raised:
            await call
        assert "\n" not in str(raised.value)
        assert raised.value.hint


# what a store is known by


async def test_a_store_is_given_one_identity_however_many_ask_for_it_at_once(objects: Objects) -> None:
    assert await identity(objects) is None

    given = await asyncio.gather(*(identified(objects) for _ in range(5)))

    assert {*given, await identity(objects)} == {given[0]}


async def test_what_a_store_keeps_about_itself_is_no_tenants(objects: Objects, store: ObjectStore) -> None:
    await identified(objects)

    assert await keys(store) == []
    with pytest.raises(ValidationFailure):
        objects.for_tenant(OWN)
    if isinstance(objects, LocalObjects):
        assert await objects.tenants() == []


@pytest.mark.parametrize("content", [b"", b"mine", b"0" * 4000])
async def test_an_identity_that_is_none_is_said_and_not_replaced(objects: Objects, content: bytes) -> None:
    await objects.own().put("identity", content)

    with pytest.raises(Fatal, match=r"\.store/identity is no id"):
        await identified(objects)
    assert await objects.own().get("identity") == content
