"""A bucket that belongs to one tenant: its keys lie right below the prefix."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer
from tests.fakes.gcs import FakeGcs
from tests.fakes.gcs.server import BUCKET

from windrow.contracts.errors import Code, Fatal
from windrow.objects import ObjectStore, open_bucket

Places = Callable[[], list[str]]


@pytest.fixture(scope="module")
def s3_endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture(params=["gs", "gs with prefix", "s3", "s3 with prefix", "file", "memory"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[ObjectStore, Places]]:
    """A store, and the names of what lies where the operator looks for it."""
    scheme, _, prefix = request.param.partition(" with ")
    if scheme == "gs":
        with FakeGcs() as fake:
            fake.is_public = True
            yield open_bucket(f"gs://{BUCKET}/{prefix}", endpoint=fake.base_url), fake.shelf.names
    elif scheme == "s3":
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s" * 16)
        endpoint, bucket = request.getfixturevalue("s3_endpoint"), f"media-{prefix or 'whole'}"
        client = boto3.session.Session().client("s3", endpoint_url=endpoint, region_name="us-east-1")
        client.create_bucket(Bucket=bucket)
        yield (
            open_bucket(f"s3://{bucket}/{prefix}", region="us-east-1", endpoint=endpoint),
            lambda: [each["Key"] for each in client.list_objects_v2(Bucket=bucket)["Contents"]],
        )
    elif scheme == "file":
        yield open_bucket(f"file:{tmp_path / 'media'}"), lambda: _files(tmp_path / "media")
    else:
        yield open_bucket("memory:"), lambda: ["jobs/Queued/1.json", "jobs/Queued/2.json"]


def _files(root: Path) -> list[str]:
    # in the tree of its depth, as everywhere on the disk
    return sorted(str(path.relative_to(root / "3")) for path in (root / "3").rglob("*") if path.is_file())


@pytest.mark.req("EV-13")
async def test_the_keys_of_a_tenants_own_bucket_are_its_names(
    place: tuple[ObjectStore, Places], request: pytest.FixtureRequest
) -> None:
    store, names = place
    prefix = "prefix/" if "with prefix" in request.node.name else ""

    await store.put("jobs/Queued/0.json", b"{}", content_type="application/json")
    await store.put_if_absent("jobs/Queued/2.json", b"{}")
    await store.move("jobs/Queued/0.json", "jobs/Queued/1.json")

    assert [listed.key async for listed in store.list()] == ["jobs/Queued/1.json", "jobs/Queued/2.json"]
    assert [listed.key async for listed in store.list("jobs/Queued", after="jobs/Queued/1.json")] == [
        "jobs/Queued/2.json"
    ]
    assert [listed.key async for listed in store.list("jobs/Queue")] == []
    assert names() == [f"{prefix}jobs/Queued/1.json", f"{prefix}jobs/Queued/2.json"]
    head = await store.head("jobs/Queued/1.json")
    assert head is not None
    assert head.content_type == "application/json"


async def test_a_place_that_windrow_serves_signs_no_urls_without_a_tenant(tmp_path: Path) -> None:
    for url in ("memory:", f"file:{tmp_path}"):
        with pytest.raises(Fatal) as raised:
            await open_bucket(url).signed_url("a")
        assert raised.value.code is Code.CONFIGURATION


async def test_an_object_is_read_from_any_place_of_it(place: tuple[ObjectStore, Places]) -> None:
    store, _ = place
    await store.put("a", bytes(range(100)), content_type="video/mp4")

    for start in (0, 1, 60, 99):
        async with store.open_reader("a", start=start) as reader:
            assert b"".join([chunk async for chunk in reader]) == bytes(range(start, 100))
        assert (reader.head.size, reader.head.content_type) == (100, "video/mp4")
