"""The calls to Pub/Sub by Google's own client: what its answers mean, who we are to it, and how it is left."""

import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from grpc import StatusCode
from joserfc import jws
from tests.fakes.certificates import Authority
from tests.fakes.pubsub import FakePubSub, Planned
from tests.fakes.secret_manager import EMAIL, FakeSecretManager

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
)
from windrow.messages.pubsub import Endpoint, PubSub
from windrow.messages.pubsub.envelope import Envelope

THERE = "projects/acme/topics/work"
SUBSCRIPTION = "projects/acme/subscriptions/work"
SOMETHING = Envelope(b"{}", {})


@pytest.fixture
async def server() -> AsyncIterator[FakePubSub]:
    async with FakePubSub() as fake:
        fake.subscribe(SUBSCRIPTION, THERE)
        yield fake


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (StatusCode.PERMISSION_DENIED, Fatal, Code.FORBIDDEN),
        (StatusCode.UNAUTHENTICATED, Fatal, Code.UNAUTHORIZED),
        (StatusCode.NOT_FOUND, Fatal, Code.CONFIGURATION),
        (StatusCode.FAILED_PRECONDITION, Fatal, Code.CONFIGURATION),
        (StatusCode.UNAVAILABLE, RetryableTransient, Code.UNAVAILABLE),
        (StatusCode.INTERNAL, RetryableTransient, Code.UNAVAILABLE),
        (StatusCode.ABORTED, RetryableTransient, Code.UNAVAILABLE),
        (StatusCode.CANCELLED, RetryableTransient, Code.UNAVAILABLE),
        (StatusCode.DEADLINE_EXCEEDED, RetryableTransient, Code.TIMEOUT),
        (StatusCode.RESOURCE_EXHAUSTED, RateLimited, Code.RATE_LIMITED),
        (StatusCode.INVALID_ARGUMENT, ValidationFailure, Code.REFUSED),
    ],
    ids=lambda value: value.name if isinstance(value, StatusCode) else "",
)
async def test_an_answer_of_pubsub_is_an_error_of_ours(
    server: FakePubSub, answer: StatusCode, kind: type[WindrowError], code: Code
) -> None:
    server.fails("Publish", answer)

    async with PubSub(Endpoint.parse(server.address)) as pubsub:
        with pytest.raises(WindrowError) as raised:
            await pubsub.publish(THERE, SOMETHING)

    assert (type(raised.value), raised.value.code) == (kind, code)
    assert raised.value.message == f"Pub/Sub answered {answer.name} for {THERE}: planned"
    assert len(server.calls) == 1, "the relay tries again, and nobody else"


async def test_a_missing_topic_and_a_missing_permission_say_what_to_do(server: FakePubSub) -> None:
    async with PubSub(Endpoint.parse(server.address)) as pubsub:
        with pytest.raises(Fatal) as missing:
            await pubsub.publish("projects/acme/topics/typo", SOMETHING)
        server.fails("Pull", StatusCode.PERMISSION_DENIED)
        with pytest.raises(Fatal) as forbidden:
            await pubsub.pull(SUBSCRIPTION, limit=1, wait=5)

    assert missing.value.hint == ("make it (gcloud pubsub topics create typo --project acme), or correct the setting")
    assert forbidden.value.hint == f"give the identity of this process roles/pubsub.subscriber on {SUBSCRIPTION}"


async def test_the_wait_that_pubsub_asks_for_is_known(server: FakePubSub) -> None:
    server.fails("Publish", Planned(StatusCode.RESOURCE_EXHAUSTED, retry_after=37))

    async with PubSub(Endpoint.parse(server.address)) as pubsub:
        with pytest.raises(RateLimited) as raised:
            await pubsub.publish(THERE, SOMETHING)

    assert raised.value.retry_after == 37


async def test_a_pubsub_that_never_answers_is_a_timeout_and_an_empty_subscription_is_not(server: FakePubSub) -> None:
    server.fails("Publish", None)
    server.fails("Pull", None)

    async with PubSub(Endpoint.parse(server.address), timeout=0.2) as pubsub:
        with pytest.raises(RetryableTransient) as raised:
            await pubsub.publish(THERE, SOMETHING)
        assert await pubsub.pull(SUBSCRIPTION, limit=1, wait=0.2) == []

    assert raised.value.code is Code.TIMEOUT


async def test_what_pubsub_itself_finds_too_large_is_refused_for_good(server: FakePubSub) -> None:
    async with PubSub(Endpoint.parse(server.address)) as pubsub:
        with pytest.raises(ValidationFailure):
            await pubsub.publish(THERE, Envelope(b"x" * 10_000_001, {}))


async def test_a_closed_one_has_closed_both_of_its_channels_and_leaves_no_thread(server: FakePubSub) -> None:
    threads = []
    for _ in range(4):
        async with PubSub(Endpoint.parse(server.address)) as pubsub:
            await pubsub.publish(THERE, SOMETHING)
            await pubsub.pull(SUBSCRIPTION, limit=1, wait=5)
        threads.append(threading.active_count())

    with pytest.raises(RetryableTransient, match="closed"):
        await pubsub.publish(THERE, SOMETHING)
    with pytest.raises(RetryableTransient, match="closed"):
        await pubsub.pull(SUBSCRIPTION, limit=1, wait=5)
    assert threads[-1] <= threads[0] + 1, "that of the event loop's own pool"


async def test_elsewhere_than_on_this_machine_it_is_tls_and_the_identity_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority()
    (tmp_path / "roots.pem").write_bytes(authority.cert)
    monkeypatch.setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", str(tmp_path / "roots.pem"))
    async with FakePubSub(authority.certify("localhost")) as server:
        server.topic(THERE)
        with FakeSecretManager() as google:
            monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(google.account(tmp_path)))
            port = server.address.rpartition(":")[2]
            async with PubSub(Endpoint.parse(f"https://localhost:{port}")) as pubsub:
                await pubsub.publish(THERE, SOMETHING)

    (shown,) = server.authorizations
    assert EMAIL.encode() in jws.extract_compact(shown.removeprefix("Bearer ").encode()).payload


async def test_a_process_without_an_identity_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))

    async with PubSub() as pubsub:
        with pytest.raises(Fatal, match="this process has no Google identity") as raised:
            await pubsub.publish(THERE, SOMETHING)

    assert raised.value.code is Code.UNAUTHORIZED


async def test_without_googles_client_the_process_says_at_its_start_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "google.pubsub_v1", None)

    with pytest.raises(Fatal, match="google-cloud-pubsub") as raised:
        async with PubSub():
            pass

    assert raised.value.hint == "pip install 'windrow[gcp]'"
