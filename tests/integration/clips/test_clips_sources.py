"""Where a clip may be cut from: one's own objects, files that the operator allows, addresses that may be called."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.fakes.web import Web, answer

from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.connectors.permits import Permits
from windrow.contracts.errors import Code, WindrowError
from windrow.contracts.scope import Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.objects import Objects, open_objects

SCOPE = Scope("acme", "main")
FILM = b"a film, let us say" * 1000


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects(f"file:{tmp_path / 'objects'}")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The one directory that the operator lets the tenant read."""
    (tmp_path / "shared").mkdir()
    return tmp_path / "shared"


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with Web() as server:
        yield server


@pytest.fixture
async def sources(objects: Objects, shared: Path) -> AsyncIterator[Sources]:
    def allowed(tenant_id: str, path: str) -> Path:
        return Permits.for_tenant(tenant_id, [f"acme={shared}"]).path(path)

    async with HttpClient(HttpPolicy(source="clip", allow=("127.0.0.1",))) as http:
        yield Sources(objects, http, allowed, ClipLimits(source_bytes=len(FILM)))


async def read(sources: Sources, source: str, scratch: Path, scope: Scope = SCOPE) -> bytes:
    async with sources.opened(scope, source, scratch) as path:
        return path.read_bytes()


def empty(directory: Path) -> bool:
    return not any(directory.iterdir())


async def refusal(sources: Sources, source: str, scratch: Path, scope: Scope = SCOPE) -> Code:
    with pytest.raises(WindrowError) as refused:
        await read(sources, source, scratch, scope)
    assert "\n" not in refused.value.message
    return refused.value.code


async def test_an_object_is_a_source(sources: Sources, objects: Objects, scratch: Path) -> None:
    await objects.for_tenant("acme").put("films/one", FILM)

    assert await read(sources, "object:films/one", scratch) == FILM


async def test_an_object_of_another_tenant_is_none(sources: Sources, objects: Objects, scratch: Path) -> None:
    await objects.for_tenant("other").put("films/one", FILM)

    assert await refusal(sources, "object:films/one", scratch) is Code.NOT_FOUND


async def test_a_file_is_a_source_and_is_not_copied(sources: Sources, shared: Path, scratch: Path) -> None:
    (shared / "film").write_bytes(FILM)

    assert await read(sources, f"file:{shared}/film", scratch) == FILM
    assert empty(scratch)


async def test_a_file_that_is_not_there_is_not_found(sources: Sources, shared: Path, scratch: Path) -> None:
    assert await refusal(sources, f"file:{shared}/film", scratch) is Code.NOT_FOUND


@pytest.mark.parametrize("path", ["/etc/hostname", "{shared}/../secret", "{shared}/link", "{shared}-secret"])
async def test_a_file_outside_of_what_the_operator_allows_is_forbidden(
    sources: Sources, shared: Path, scratch: Path, path: str
) -> None:
    secret = shared.parent / "secret"
    secret.write_bytes(b"secret")
    (shared / "link").symlink_to(secret)

    assert await refusal(sources, f"file:{path.format(shared=shared)}", scratch) is Code.FORBIDDEN


async def test_a_file_that_another_tenant_may_read_is_forbidden(sources: Sources, shared: Path, scratch: Path) -> None:
    (shared / "film").write_bytes(FILM)

    assert await refusal(sources, f"file:{shared}/film", scratch, Scope("other", "main")) is Code.FORBIDDEN


async def test_what_was_opened_stays_the_source_whatever_its_name_leads_to(
    sources: Sources, shared: Path, scratch: Path
) -> None:
    film = shared / "film"
    film.write_bytes(FILM)
    secret = shared.parent / "secret"
    secret.write_bytes(b"secret")

    async with sources.opened(SCOPE, f"file:{film}", scratch) as path:
        film.unlink()
        film.symlink_to(secret)

        assert path.read_bytes() == FILM


async def test_a_pipe_is_no_source_and_nobody_waits_for_it(sources: Sources, shared: Path, scratch: Path) -> None:
    os.mkfifo(shared / "pipe")

    async with asyncio.timeout(60):
        assert await refusal(sources, f"file:{shared}/pipe", scratch) is Code.UNREADABLE


async def test_an_address_is_a_source(sources: Sources, web: Web, scratch: Path) -> None:
    web.on("/film", answer(200, FILM))

    assert await read(sources, web.url("/film"), scratch) == FILM


async def test_an_address_that_the_operator_has_not_allowed_is_not_called(sources: Sources, scratch: Path) -> None:
    assert await refusal(sources, "http://169.254.169.254/latest", scratch) is Code.ADDRESS_REFUSED


async def test_an_address_where_nothing_is_is_not_found(sources: Sources, web: Web, scratch: Path) -> None:
    web.on("/film", answer(404))

    assert await refusal(sources, web.url("/film"), scratch) is Code.NOT_FOUND


@pytest.mark.req("RR-7")
@pytest.mark.parametrize("kind", ["object", "file", "http", "http without a length"])
async def test_a_source_larger_than_the_limit_is_too_large(
    sources: Sources, objects: Objects, shared: Path, web: Web, scratch: Path, kind: str
) -> None:
    large = FILM + b"."
    await objects.for_tenant("acme").put("film", large)
    (shared / "film").write_bytes(large)
    web.on("/film", answer(200, large))
    web.on("/endless", b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + large)
    named = {
        "object": "object:film",
        "file": f"file:{shared}/film",
        "http": web.url("/film"),
        "http without a length": web.url("/endless"),
    }

    assert await refusal(sources, named[kind], scratch) is Code.INPUT_TOO_LARGE
