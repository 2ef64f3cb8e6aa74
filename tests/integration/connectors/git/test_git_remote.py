"""A repository elsewhere: fetched into our cache, with a credential that nobody sees."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.fakes.web import Exchange, answer
from tests.integration.connectors.git.hosting import Host, basic
from tests.integration.connectors.git.leftovers import processes_of, zombies
from tests.integration.connectors.git.reading import Reader, items_of, left
from tests.integration.connectors.git.workshop import Workshop

from windrow.connectors.git.access import Access
from windrow.connectors.git.command import Limits
from windrow.connectors.git.lock import locked
from windrow.connectors.git.mirror import Mirror
from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure, WindrowError

TOKEN = "ghp-very-secret-token-0123456789"


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    async with Host(root=tmp_path) as opened:
        yield opened


@pytest.fixture
def published(repository: Workshop) -> Workshop:
    repository.write("a.txt", "1\n")
    repository.commit("first")
    repository.write("b.txt", "2\n")
    repository.commit("second")
    repository.git("tag", "-a", "v1", "-m", "one")
    return repository


@pytest.fixture
def remote(tmp_path: Path, host: Host, published: Workshop) -> Reader:
    """Reads it over the network; nothing on this machine is permitted."""
    url = host.serves("repository/.git")
    return Reader(tmp_path / "nothing", tmp_path / "cache", {"url": url}, addresses=(host.door,))


async def test_a_remote_one_has_the_same_items_as_a_local_one(remote: Reader, reader: Reader) -> None:
    assert await remote.items() == await reader.items()


async def test_it_is_looked_at_without_being_fetched(remote: Reader) -> None:
    found = await remote.connector().prepare()

    assert [each.well for each in found] == [True, True]
    assert not list(remote.cache.glob("mirror-*"))


async def test_later_passes_fetch_what_is_new(remote: Reader, published: Workshop) -> None:
    first = await remote.items()
    unchanged = await remote.later()
    published.write("a.txt", "changed\n")
    published.commit()
    published.git("branch", "other")

    later = await remote.later()

    assert unchanged == {}
    assert {"file:a.txt", "branch:other"} <= later.keys()
    assert "file:b.txt" not in later
    assert left(first, later) == left(await remote.items())


async def test_what_a_force_push_replaced_can_still_be_compared(remote: Reader, published: Workshop) -> None:
    first = await remote.items()
    gone = published.tip
    published.git("reset", "-q", "--hard", "HEAD~1")
    published.git("tag", "-d", "v1")
    published.write("c.txt")
    published.commit()
    published.git("reflog", "expire", "--expire=now", "--all")
    published.git("gc", "-q", "--prune=now")

    later = await remote.later()

    assert later[f"commit:{gone}"].deleted
    assert later["tag:v1"].deleted
    assert left(first, later) == left(await remote.items())
    assert remote.heard("git.relisted") == []


async def test_only_one_branch_is_fetched_where_only_one_is_wanted(remote: Reader, published: Workshop) -> None:
    published.git("branch", "other")
    wanted = {"entities": ["file", "commit"], "branch": "other"}

    found = await remote.items(**wanted)

    (mirror,) = remote.cache.glob("mirror-*.git")
    assert "file:a.txt" in found
    assert not (mirror / "refs/heads/main").exists()


async def test_a_plain_web_server_is_enough(host: Host, remote: Reader, published: Workshop, tmp_path: Path) -> None:
    published.git("clone", "-q", "--bare", ".", str(tmp_path / "plain.git"))
    Workshop.git(published, "--git-dir", str(tmp_path / "plain.git"), "update-server-info")
    url = host.serves_files("plain.git")

    assert "file:a.txt" in await remote.items(url=url)


async def test_an_empty_remote_repository_is_an_empty_listing(host: Host, remote: Reader, tmp_path: Path) -> None:
    Workshop(tmp_path / "empty")

    (page,) = await remote.pages(url=host.serves("empty/.git"))

    assert (list(page.records), page.whole) == ([], True)


async def test_a_detached_remote_head_is_read(remote: Reader, published: Workshop) -> None:
    published.git("checkout", "-q", "--detach")
    loose = published.commit("on no branch")

    assert f"commit:{loose}" in await remote.items()


@pytest.mark.req("HV-40")
async def test_the_credential_is_sent_and_seen_nowhere(host: Host, remote: Reader, said: Said) -> None:
    host.login = f"git:{TOKEN}"
    remote.secret = TOKEN

    pages = await remote.pages()

    assert {request.headers.get("authorization") for request in host.requests} == {basic(f"git:{TOKEN}")}
    kept = [path.read_bytes() for path in remote.cache.rglob("*") if path.is_file()]
    shown = [json.dumps([page.cursor, page.position, list(page.records)]) for page in pages]
    shown += [repr(items_of(pages)), repr(remote.said), *said.raw]
    for form in (TOKEN, basic(f"git:{TOKEN}").removeprefix("Basic ")):
        assert not [text for text in shown if form in text]
        assert not [raw for raw in kept if form.encode() in raw]


@pytest.mark.req("HV-40")
async def test_a_failing_fetch_does_not_tell_the_credential(host: Host, remote: Reader) -> None:
    """The other side even repeats it in its message."""
    host.login, remote.secret = f"git:{TOKEN}", TOKEN
    told = f"ERR your token {TOKEN} is {basic(f'git:{TOKEN}')}\n".encode()
    lines = b"%04x%b" % (len(told) + 4, told)
    kind = {"content-type": "application/x-git-upload-pack-result"}
    host.on("/repository/.git/git-upload-pack", answer(200, lines, kind))

    with pytest.raises(RetryableTransient) as failed:
        await remote.items()

    assert "your token" in failed.value.message
    assert TOKEN not in repr(failed.value) + str(failed.value.__cause__)
    assert basic(f"git:{TOKEN}").removeprefix("Basic ") not in failed.value.message


async def test_a_user_name_can_come_with_the_credential(host: Host, remote: Reader) -> None:
    host.login = remote.secret = "deploy:pass-word-12345"

    assert "file:a.txt" in await remote.items()


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (401, Fatal, Code.UNAUTHORIZED),
        (403, Fatal, Code.FORBIDDEN),
        (404, ValidationFailure, Code.NOT_FOUND),
        (429, RetryableTransient, Code.RATE_LIMITED),
        (500, RetryableTransient, Code.UNAVAILABLE),
    ],
)
async def test_what_the_other_side_answers_decides(
    host: Host, remote: Reader, status: int, kind: type[WindrowError], code: Code
) -> None:
    host.on("/repository/.git/info/refs", answer(status, b"no"))

    with pytest.raises(kind) as told:
        await remote.items()

    assert told.value.code is code


async def test_a_login_page_is_no_repository(host: Host, remote: Reader) -> None:
    host.on("/repository/.git/info/refs", answer(200, b"<html>log in</html>", {"content-type": "text/html"}))

    with pytest.raises(ValidationFailure) as told:
        await remote.items()

    assert told.value.code is Code.CONTENT_TYPE


async def test_a_private_address_is_refused_unless_the_operator_allows_it(host: Host, remote: Reader) -> None:
    remote.addresses = ()

    with pytest.raises(Fatal) as refused:
        await remote.items()

    assert refused.value.code is Code.ADDRESS_REFUSED
    assert host.requests == []


async def test_a_redirect_within_the_origin_is_followed(host: Host, remote: Reader) -> None:
    host.on("/short/info/refs", answer(301, b"", {"location": "/repository/.git/info/refs?service=git-upload-pack"}))

    assert "file:a.txt" in await remote.items(url=host.url("/short"))


async def test_a_redirect_to_elsewhere_is_told(host: Host, remote: Reader, tmp_path: Path) -> None:
    async with Host(root=tmp_path) as elsewhere:
        remote.addresses = (host.door, elsewhere.door)
        to = elsewhere.serves("repository/.git")
        host.on("/moved/info/refs", answer(301, b"", {"location": f"{to}/info/refs?service=git-upload-pack"}))

        with pytest.raises(Fatal, match="redirects to") as told:
            await remote.items(url=host.url("/moved"))

    assert told.value.code is Code.CONFIGURATION


async def test_git_follows_no_redirect_of_its_own(host: Host, remote: Reader, tmp_path: Path) -> None:
    """The second request is git's, and it is sent elsewhere: nobody goes there."""
    advertised = answer(
        200, b"001e# service=git-upload-pack\n", {"content-type": "application/x-git-upload-pack-advertisement"}
    )
    async with Host(root=tmp_path) as elsewhere:
        to = elsewhere.serves("repository/.git")
        moved = answer(302, b"", {"location": f"{to}/info/refs?service=git-upload-pack"})
        host.on("/turns/info/refs", advertised, moved)

        with pytest.raises(RetryableTransient):
            await remote.items(url=host.url("/turns"))

        assert elsewhere.requests == []


async def test_a_remote_that_hangs_is_given_up_and_nothing_is_left(host: Host, remote: Reader) -> None:
    async def hang(exchange: Exchange) -> None:
        await asyncio.Event().wait()

    host.on("/repository/.git/git-upload-pack", hang)
    remote.limits = Limits(answer_seconds=1.0, fetch_seconds=1.0)

    async with asyncio.timeout(60):
        with pytest.raises(RetryableTransient) as told:
            await remote.items()

    assert told.value.code is Code.TIMEOUT
    assert (processes_of(remote.cache), zombies()) == ([], [])


async def test_a_cancelled_fetch_ends_with_all_its_processes(host: Host, remote: Reader) -> None:
    reached = asyncio.Event()

    async def hang(exchange: Exchange) -> None:
        reached.set()
        await asyncio.Event().wait()

    host.on("/repository/.git/git-upload-pack", hang)
    running = asyncio.create_task(remote.items())
    await reached.wait()
    assert processes_of(remote.cache)

    running.cancel()
    await asyncio.wait({running}, timeout=60)

    assert running.cancelled()
    assert (processes_of(remote.cache), zombies()) == ([], [])


async def test_two_runs_do_not_fetch_at_once(remote: Reader) -> None:
    await remote.items()
    (lock,) = remote.cache.glob("mirror-*.lock")
    remote.limits = Limits(answer_seconds=2)

    async with locked(lock, patience=1):
        with pytest.raises(Conflict) as told:
            await remote.items()

    assert told.value.code is Code.ALREADY_RUNNING


async def test_what_a_killed_fetch_leaves_is_cleared_away(remote: Reader, published: Workshop) -> None:
    await remote.items()
    (mirror,) = remote.cache.glob("mirror-*.git")
    for left_over in ("packed-refs.lock", "HEAD.lock", "refs/heads/main.lock", "objects/pack/tmp_pack_abc"):
        (mirror / left_over).write_bytes(b"")
    published.git("branch", "-m", "main", "trunk")
    published.commit()

    later = await remote.later()

    assert "branch:trunk" in later
    assert not list(mirror.rglob("*.lock"))
    assert not list(mirror.rglob("tmp_*"))


async def test_a_repository_that_is_too_large_is_refused(remote: Reader, published: Workshop) -> None:
    published.write("large.bin", bytes(range(256)) * 4096)
    published.git("config", "core.compression", "0")
    published.commit()
    remote.limits = Limits(clone_bytes=100_000)

    with pytest.raises(ValidationFailure) as told:
        await remote.items()

    assert told.value.code is Code.TOO_LARGE


async def test_the_packs_of_many_fetches_become_one(remote: Reader, published: Workshop) -> None:
    remote.limits = Limits(packs=2)
    await remote.items()
    (mirror,) = remote.cache.glob("mirror-*.git")
    for number in range(2):
        published.write("a.txt", str(number))
        published.commit()
        await remote.later()

    assert len(list(mirror.glob("objects/pack/*.pack"))) == 1


async def test_a_branch_that_the_remote_does_not_have_is_told(remote: Reader) -> None:
    for ask in (remote.items, lambda **config: remote.connector(**config).prepare()):
        with pytest.raises(ValidationFailure) as told:
            await ask(branch="nowhere")

        assert told.value.code is Code.NOT_FOUND


async def test_a_pass_goes_on_without_fetching_again(remote: Reader, host: Host, published: Workshop) -> None:
    for number in range(120):
        published.write(f"many/{number:03}.txt", str(number))
    published.commit()
    pages = await remote.pages()
    host.requests.clear()

    assert await remote.pages(pages[0].cursor) == pages[1:]
    assert host.requests == []


async def test_git_connects_to_the_address_that_was_checked(remote: Reader, host: Host) -> None:
    """The name means nothing to this machine; only the pinned address can have been used."""
    connector = remote.connector()
    source, _ = await connector._source()
    pinned = {"http.curloptResolve": f"repository.invalid:{host.port}:127.0.0.1"}
    access = Access(f"http://repository.invalid:{host.port}/repository/.git", "http", "sha1", pinned)

    there = await Mirror(source.git, connector.config, remote.cache).advertised(access)

    assert there.branches.keys() == {"main"}
