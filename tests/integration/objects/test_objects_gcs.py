"""Google Cloud Storage as it misbehaves: what its answers become, what a hiccup costs, who is let in. By Google's client."""

import asyncio
import gc
import json
import logging
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from google.oauth2.service_account import Credentials
from starlette.requests import Request
from starlette.responses import HTMLResponse
from tests.fakes.gcs import FakeGcs
from tests.fakes.gcs.server import BUCKET

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.objects import ObjectStore, open_objects
from windrow.objects.gcs import GcsObjects
from windrow.objects.gcs.bucket import THREADS

SHORT = timedelta(seconds=0.3)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeGcs]:
    with FakeGcs() as fake:
        yield fake


@pytest.fixture
def gcs(server: FakeGcs) -> FakeGcs:
    """The bucket, empty; whoever shows no token is let in."""
    server.shelf.objects.clear()
    server.requests.clear()
    server.failing.clear()
    server.is_public, server.before = True, None
    return server


@pytest.fixture
def store(gcs: FakeGcs) -> ObjectStore:
    return GcsObjects(BUCKET, "prefix", endpoint=gcs.base_url).for_tenant("acme")


@pytest.fixture
def hasty(gcs: FakeGcs) -> ObjectStore:
    """One that soon gives up."""
    return GcsObjects(BUCKET, "prefix", endpoint=gcs.base_url, patience=SHORT).for_tenant("acme")


@pytest.mark.req("EV-13")
async def test_an_object_lies_under_its_prefix_and_tenant(gcs: FakeGcs) -> None:
    store = open_objects(f"gs://{BUCKET}/prefix/", endpoint=gcs.base_url).for_tenant("acme")

    await store.put("results/a b+ü.json", b"{}", content_type="application/json")

    kept = gcs.shelf.objects["prefix/acme/results/a b+ü.json"]
    assert (kept.data, kept.content_type) == (b"{}", "application/json")


# what goes wrong


@pytest.mark.parametrize(
    ("status", "reason", "kind", "code"),
    [
        (400, None, ValidationFailure, Code.REFUSED),
        (403, None, Fatal, Code.FORBIDDEN),
        (403, "rateLimitExceeded", RetryableTransient, Code.RATE_LIMITED),
        (404, None, Fatal, Code.CONFIGURATION),
        (409, None, Conflict, Code.CONTENTION),
        (429, None, RetryableTransient, Code.RATE_LIMITED),
        (500, None, RetryableTransient, Code.STORAGE_UNAVAILABLE),
        (503, None, RetryableTransient, Code.STORAGE_UNAVAILABLE),
    ],
)
async def test_what_google_answers_is_told_in_our_family(
    gcs: FakeGcs, hasty: ObjectStore, status: int, reason: str | None, kind: type[WindrowError], code: Code
) -> None:
    gcs.fails(*[status] * 20, **({"reason": reason} if reason else {}))

    with pytest.raises(WindrowError) as raised:
        await hasty.put("a", b"x")

    assert (type(raised.value), raised.value.code) == (kind, code)
    assert raised.value.message.startswith("cannot put the object 'a': ")
    assert "\n" not in raised.value.message
    assert raised.value.hint


async def test_an_answer_that_is_not_googles_own_is_told_too(gcs: FakeGcs, hasty: ObjectStore) -> None:
    gcs.before = lambda _request: HTMLResponse("<html>Bad Gateway</html>", 502)

    with pytest.raises(RetryableTransient, match="answered 502"):
        await hasty.get("a")


async def test_what_answers_but_is_no_cloud_storage_is_told(gcs: FakeGcs, hasty: ObjectStore) -> None:
    gcs.before = lambda _request: HTMLResponse("<html>Welcome</html>")

    with pytest.raises(Fatal) as raised:
        await hasty.get("a")

    assert "WINDROW_OBJECT_STORE_ENDPOINT" in str(raised.value.hint)


async def test_a_bucket_that_does_not_exist_is_told_by_whatever_writes_or_lists(gcs: FakeGcs) -> None:
    store = GcsObjects("no-such-bucket", endpoint=gcs.base_url).for_tenant("acme")
    large = b"x" * (8 * 1024 * 1024 + 1)

    async def write() -> None:
        async with store.open_writer("a") as writer:
            await writer.write(large)

    async def listing() -> None:
        assert [key async for key in store.list()]

    for call in (store.put("a", b"x"), store.put("a", large), write(), listing()):
        with pytest.raises(Fatal) as raised:
            await call
        assert raised.value.code is Code.CONFIGURATION
        assert "bucket" in str(raised.value.hint)


async def test_a_store_that_cannot_be_reached_is_transient_and_not_waited_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        objects = GcsObjects(BUCKET, endpoint=f"http://127.0.0.1:{taken.getsockname()[1]}", patience=SHORT)

        begun = time.monotonic()
        with pytest.raises(RetryableTransient) as raised:
            await objects.for_tenant("acme").get("a")

    assert raised.value.code is Code.STORAGE_UNAVAILABLE
    assert time.monotonic() - begun < 30


# hiccups


async def test_a_hiccup_is_retried_on_the_way(gcs: FakeGcs, store: ObjectStore) -> None:
    for call in (store.put("a", b"x"), store.head("a"), store.get("a"), store.copy("a", "b"), store.delete("a")):
        gcs.fails(503)
        await call

    assert list(gcs.shelf.objects) == ["prefix/acme/b"]


async def test_a_guarded_put_whose_answer_was_lost_meets_itself(gcs: FakeGcs, store: ObjectStore) -> None:
    gcs.loses()
    with pytest.raises(Conflict) as absent:
        await store.put_if_absent("a", b"mine")
    head = await store.head("a")
    assert head is not None
    gcs.loses()
    with pytest.raises(Conflict) as matching:
        await store.put_if_matches("a", b"mine too", head.etag)

    assert (absent.value.code, matching.value.code) == (Code.ALREADY_EXISTS, Code.CAS_MISMATCH)
    assert await store.get("a") == b"mine too"
    # it was sent again, and no third time
    assert len(gcs.asked("POST")) == 4


async def test_a_plain_put_whose_answer_was_lost_is_done_again(gcs: FakeGcs, store: ObjectStore) -> None:
    gcs.loses()

    etag = await store.put("a", b"x")

    assert etag == str(gcs.shelf.objects["prefix/acme/a"].generation)


# guards


@pytest.mark.parametrize("etag", ["", "0", "-1", "1.0", "e", "٣", '"d41d8cd9"', "9" * 30])
async def test_an_etag_that_google_never_gave_matches_nothing(gcs: FakeGcs, store: ObjectStore, etag: str) -> None:
    with pytest.raises(Conflict) as raised:
        await store.put_if_matches("a", b"x", etag)

    assert raised.value.code is Code.CAS_MISMATCH
    assert gcs.shelf.objects == {}


async def test_who_changes_only_metadata_does_not_change_the_etag(gcs: FakeGcs, store: ObjectStore) -> None:
    etag = await store.put("a", b"first")
    gcs.shelf.touch("prefix/acme/a")

    await store.put_if_matches("a", b"second", etag)

    assert await store.get("a") == b"second"


async def test_a_copy_of_several_steps_is_whole(gcs: FakeGcs, store: ObjectStore) -> None:
    gcs.stride = 10
    await store.put("a", b"0123456789" * 4, content_type="text/plain")

    await store.copy_if_absent("a", "b")

    gcs.stride = 1 << 40
    assert len(gcs.asked("POST")) == 1 + 4
    kept = gcs.shelf.objects["prefix/acme/b"]
    assert (len(kept.data), kept.content_type) == (40, "text/plain")


async def test_a_copy_says_of_itself_what_its_source_did(gcs: FakeGcs, store: ObjectStore) -> None:
    told = {"contentEncoding": "gzip", "cacheControl": "no-store", "metadata": {"origin": "camera 7"}}
    gcs.shelf.put("prefix/acme/a", b"x", "video/mp4", **told)

    await store.move("a", "b")

    kept = gcs.shelf.objects["prefix/acme/b"]
    assert (kept.content_type, kept.more) == ("video/mp4", told)


async def test_a_move_does_not_take_away_what_was_put_meanwhile(gcs: FakeGcs, store: ObjectStore) -> None:
    def meanwhile(request: Request) -> None:
        if request.method == "DELETE":
            gcs.shelf.put("prefix/acme/a", b"somebody else's")

    await store.put("a", b"moved")
    gcs.before = meanwhile

    with pytest.raises(Conflict) as raised:
        await store.move("a", "b")

    assert raised.value.code is Code.CAS_MISMATCH
    assert (await store.get("a"), await store.get("b")) == (b"somebody else's", b"moved")


async def test_a_copy_of_what_is_replaced_meanwhile_is_of_one_version(gcs: FakeGcs, store: ObjectStore) -> None:
    replacing = [b"second", b"third"]

    def meanwhile(request: Request) -> None:
        if "rewriteTo" in request.url.path and replacing:
            gcs.shelf.put("prefix/acme/a", replacing.pop(0), "text/later")

    await store.put("a", b"first")
    gcs.before = meanwhile

    await store.copy("a", "b")

    kept = gcs.shelf.objects["prefix/acme/b"]
    assert (kept.data, kept.content_type) == (b"third", "text/later")


# listings


async def test_what_is_no_key_of_ours_is_not_listed(gcs: FakeGcs, store: ObjectStore) -> None:
    for name in ("", "jobs/", "jobs//x", "jobs/../x", "jobs/1"):
        gcs.shelf.put(f"prefix/acme/{name}", b"")

    assert [listed.key async for listed in store.list()] == ["jobs/1"]


# who we are


async def test_a_token_is_got_with_the_key_of_the_account_and_again_when_it_has_run_out(gcs: FakeGcs) -> None:
    gcs.is_public = False
    account = Credentials.from_service_account_info(gcs.account())
    store = GcsObjects(BUCKET, endpoint=gcs.base_url, credentials=account).for_tenant("acme")

    await store.put("a", b"x")
    assert await store.get("a") == b"x"
    gcs.tokens.clear()
    assert await store.get("a") == b"x"

    assert [each.path for each in gcs.requests].count("/token") == 2
    # the answer that was refused has left no connection: an open socket would be an error
    gc.collect()


async def test_whoever_is_not_let_in_is_told(gcs: FakeGcs, hasty: ObjectStore) -> None:
    gcs.is_public = False

    for call in (hasty.put("a", b"x"), hasty.get("a"), hasty.head("a")):
        with pytest.raises(Fatal) as raised:
            await call
        assert raised.value.code is Code.UNAUTHORIZED
    del raised
    gc.collect()


async def test_in_the_clear_nobody_is_named(gcs: FakeGcs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "account.json"
    key.write_text(json.dumps(gcs.account()))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
    store = open_objects(f"gs://{BUCKET}", endpoint=gcs.base_url).for_tenant("acme")

    await store.put("a", b"x")
    await store.get("a")

    assert [each.path for each in gcs.requests if "authorization" in each.headers or each.path == "/token"] == []


async def test_a_process_without_an_identity_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/file")

    with pytest.raises(Fatal) as raised:
        await open_objects(f"gs://{BUCKET}").for_tenant("acme").get("a")

    assert raised.value.code is Code.UNAUTHORIZED
    assert "GOOGLE_APPLICATION_CREDENTIALS" in str(raised.value.hint)


async def test_without_googles_client_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("windrow.objects.gcs")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "google.cloud.storage", None)

    with pytest.raises(Fatal) as raised:
        open_objects(f"gs://{BUCKET}")

    assert raised.value.code is Code.CONFIGURATION
    assert "windrow[gcp]" in str(raised.value.hint)


@pytest.mark.parametrize("url", ["gs:", "gs://", "gs:///prefix", "gs://Bucket", "gs://a b", "gs://bucket/../x"])
def test_what_names_no_bucket_is_refused(url: str) -> None:
    with pytest.raises(Fatal) as raised:
        open_objects(url)

    assert raised.value.code is Code.CONFIGURATION


# many at once, and no others


async def test_nobody_is_spoken_to_but_the_endpoint_and_about_nothing_else(
    gcs: FakeGcs, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: set[str] = set()
    connect = socket.socket.connect

    def noted(self: socket.socket, address: tuple[str, int]) -> None:
        met.add("{}:{}".format(*address))
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://127.0.0.1:1")
    account = Credentials.from_service_account_info(gcs.account())
    store = GcsObjects(BUCKET, endpoint=gcs.base_url, credentials=account).for_tenant("acme")

    await store.put("a", b"x")
    await store.move("a", "b")
    assert [listed.key async for listed in store.list()] == ["b"]
    await store.get("b")
    await store.signed_url("b")
    await store.delete("b")
    gc.collect()

    assert met == {gcs.door}
    assert len(gcs.asked("GET", "POST", "PUT", "DELETE")) == sum((1, 3, 1, 1, 0, 1))


async def test_more_readers_than_threads_leave_room_for_writers(
    gcs: FakeGcs, store: ObjectStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "urllib3")
    await store.put("a", b"x" * 100_000)
    count = THREADS + 8
    opened = asyncio.Barrier(count)

    async def work(number: int) -> None:
        async with store.open_reader("a") as reader:
            await opened.wait()
            await store.put(f"b/{number}", b"y")
            assert sum([len(chunk) async for chunk in reader]) == 100_000

    async with asyncio.timeout(100):
        await asyncio.gather(*(work(number) for number in range(count)))

    assert len(gcs.shelf.objects) == 1 + count
    assert [record.message for record in caplog.records if record.name.startswith("urllib3")] == []


async def test_a_store_that_nobody_holds_leaves_no_thread_and_no_connection(gcs: FakeGcs) -> None:
    store = GcsObjects(BUCKET, endpoint=gcs.base_url).for_tenant("acme")
    before = set(threading.enumerate())
    await asyncio.gather(*(store.put(f"a/{number}", b"x") for number in range(4)))
    async with store.open_reader("a/1"):
        pass
    mine = set(threading.enumerate()) - before
    assert mine

    del store
    # an open socket would be an error here: warnings are
    gc.collect()

    for thread in mine:
        await asyncio.to_thread(thread.join, 60)
    assert not any(thread.is_alive() for thread in mine)
