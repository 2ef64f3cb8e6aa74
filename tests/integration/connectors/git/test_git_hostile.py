"""Repositories whose owner means us no good: nothing of theirs runs, nothing is read that the operator did not allow."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from tests.integration.connectors.git.leftovers import processes_of, zombies
from tests.integration.connectors.git.reading import Reader
from tests.integration.connectors.git.workshop import Workshop

from windrow.connectors.git.command import Limits
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError


def forbidden(error: WindrowError) -> bool:
    return isinstance(error, Fatal) and error.code is Code.FORBIDDEN


async def test_nothing_that_a_repository_configures_is_run(
    reader: Reader, repository: Workshop, tmp_path: Path
) -> None:
    repository.write("a.txt", "1\n")
    repository.write(".gitattributes", "* diff=evil filter=evil\n")
    repository.commit()
    before = await reader.items()
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    evil.chmod(0o755)
    hooks = repository.place / ".git" / "hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "fsmonitor-watchman", "post-index-change"):
        (hooks / hook).symlink_to(evil)
    lines = ["[core]"]
    lines += [f"\t{name} = {evil}" for name in ("fsmonitor", "sshCommand", "pager", "askPass", "editor", "gitProxy")]
    lines += [f"\talternateRefsCommand = {evil}", f"\thooksPath = {hooks}", "\tworktree = /", "\tbare = false"]
    lines += ['[diff "evil"]', f"\ttextconv = {evil}", f"\tcommand = {evil}", "[diff]", f"\texternal = {evil}"]
    lines += ['[filter "evil"]', f"\tclean = {evil}", f"\tsmudge = {evil}", f"\tprocess = {evil}", "\trequired = true"]
    lines += ["[alias]", *(f"\t{name} = !{evil}" for name in ("log", "ls-tree", "cat-file", "for-each-ref"))]
    lines += ["[uploadpack]", f"\tpackObjectsHook = {evil}", "[credential]", f"\thelper = {evil}"]
    lines += ["[gpg]", f"\tprogram = {evil}", "[log]", "\tshowSignature = true", "[pager]", f"\tlog = {evil}"]
    lines += ["[include]", "\tpath = /proc/self/mem", "[mailmap]", f"\tfile = {evil}", "\tblob = HEAD:a.txt"]
    lines += [
        "[extensions]",
        "\tpartialClone = origin",
        '[remote "origin"]',
        f"\turl = ext::{evil}",
        "\tpromisor = true",
    ]
    with (repository.place / ".git" / "config").open("a") as config:
        config.write("\n".join(lines) + "\n")

    found = await reader.items()

    assert found == before
    assert not (tmp_path / "ran").exists()


async def test_lost_objects_are_fetched_from_nowhere(reader: Reader, repository: Workshop, tmp_path: Path) -> None:
    repository.write("a.txt", "1\n" * 80)
    repository.commit()
    blob = repository.git("rev-parse", "HEAD:a.txt")
    repository.git("config", "extensions.partialClone", "origin")
    repository.git("config", "remote.origin.url", f"ext::touch% {tmp_path}/ran")
    repository.git("config", "remote.origin.promisor", "true")
    repository.git("config", "protocol.ext.allow", "always")
    (repository.place / ".git/objects" / blob[:2] / blob[2:]).unlink()

    found = await reader.items()

    assert "size" not in found["file:a.txt"].attributes
    assert not (tmp_path / "ran").exists()


async def test_a_repository_is_not_written_to(reader: Reader, repository: Workshop) -> None:
    repository.write("a.txt")
    repository.commit()
    repository.write("a.txt", "not committed")

    def state() -> dict[str, tuple[int, int]]:
        return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in repository.place.rglob("*")}

    before = state()
    await reader.items()
    repository_is_read_only = state()

    assert repository_is_read_only == before


async def test_a_path_that_is_not_allowed_is_refused(reader: Reader, repository: Workshop, tmp_path: Path) -> None:
    repository.commit()
    reader.permitted = tmp_path / "elsewhere"

    for config in ({}, {"path": None, "url": f"file://{repository.place}"}):
        with pytest.raises(Fatal) as refused:
            await reader.items(**config)

        assert forbidden(refused.value)


@pytest.fixture
def outside(tmp_path: Path) -> Workshop:
    """Somebody else's repository, beside what is allowed."""
    made = Workshop(tmp_path / "outside")
    made.write("secret.txt", "secret")
    made.commit("secret")
    return made


@pytest.fixture
def allowed(tmp_path: Path, reader: Reader) -> Path:
    """The only directory that may be read."""
    place = tmp_path / "allowed"
    place.mkdir()
    reader.permitted = place
    return place


async def test_links_that_lead_out_are_refused(reader: Reader, outside: Workshop, allowed: Path) -> None:
    (allowed / "whole").symlink_to(outside.place)
    (allowed / "inside").mkdir()
    (allowed / "inside" / ".git").symlink_to(outside.place / ".git")
    (allowed / "pointer").mkdir()
    (allowed / "pointer" / ".git").write_text(f"gitdir: {outside.place}/.git\n")
    for place in ("whole", "inside", "pointer"):
        with pytest.raises(Fatal) as refused:
            await reader.items(path=str(allowed / place))

        assert forbidden(refused.value), place


@pytest.mark.parametrize("part", ["objects", "refs", "refs/heads", "objects/pack", "objects/ab", "objects/pack/x.pack"])
async def test_parts_that_lead_out_are_refused(reader: Reader, outside: Workshop, allowed: Path, part: str) -> None:
    made = Workshop(allowed / "mine")
    made.commit()
    place = made.place / ".git" / part
    if place.is_dir():
        shutil.rmtree(place)
    place.symlink_to(outside.place / ".git" / "objects")

    with pytest.raises(Fatal) as refused:
        await reader.items(path=str(made.place))

    assert forbidden(refused.value)


@pytest.mark.parametrize("form", ["{}", "../../../../outside/.git/objects", '"{}"'])
async def test_borrowed_objects_from_elsewhere_are_refused(
    reader: Reader, outside: Workshop, allowed: Path, form: str
) -> None:
    made = Workshop(allowed / "mine")
    made.commit()
    (made.place / ".git/objects/info").mkdir(exist_ok=True)
    (made.place / ".git/objects/info/alternates").write_text(form.format(outside.place / ".git/objects") + "\n")
    (made.place / ".git/refs/heads/main").write_text(outside.tip + "\n")

    with pytest.raises(Fatal) as refused:
        await reader.items(path=str(made.place))

    assert forbidden(refused.value)


async def test_borrowed_objects_that_are_allowed_are_read(reader: Reader, allowed: Path) -> None:
    lender = Workshop(allowed / "lender")
    lender.write("a.txt")
    lender.commit()
    lender.git("clone", "-q", "--shared", ".", str(allowed / "borrower"))

    assert "file:a.txt" in await reader.items(path=str(allowed / "borrower"))


async def test_a_shared_directory_from_elsewhere_is_refused(reader: Reader, outside: Workshop, allowed: Path) -> None:
    outside.git("worktree", "add", "-q", "--detach", str(allowed / "tree"))
    own = allowed / "own"
    shutil.copytree(outside.place / ".git/worktrees/tree", own)
    (own / "commondir").write_text(f"{outside.place}/.git\n")
    (allowed / "tree" / ".git").write_text(f"gitdir: {own}\n")

    with pytest.raises(Fatal) as refused:
        await reader.items(path=str(allowed / "tree"))

    assert forbidden(refused.value)


async def test_the_directory_above_is_not_looked_into(reader: Reader, outside: Workshop) -> None:
    """Only a part of the work tree is allowed, and the repository is not."""
    outside.write("part/a.txt")
    outside.commit()
    reader.permitted = outside.place / "part"

    with pytest.raises(Fatal) as refused:
        await reader.items(path=str(outside.place / "part"))

    assert forbidden(refused.value)


async def test_what_never_answers_is_given_up(reader: Reader, repository: Workshop) -> None:
    repository.commit()
    os.mkfifo(repository.place / ".git" / "packed-refs")
    reader.limits = Limits(answer_seconds=0.5)

    with pytest.raises(RetryableTransient) as told:
        await reader.items()

    assert told.value.code is Code.TIMEOUT
    assert (processes_of(reader.cache), zombies()) == ([], [])


async def test_a_cancelled_call_leaves_no_process(reader: Reader, repository: Workshop) -> None:
    repository.commit()
    pipe = repository.place / ".git" / "refs" / "heads" / "main"
    pipe.unlink()
    os.mkfifo(pipe)
    running = asyncio.create_task(reader.items())
    # this opens as soon as git is at the other end, and git waits for what we write
    with await asyncio.to_thread(pipe.open, "wb"):
        assert processes_of(reader.cache)

        running.cancel()
        await asyncio.wait({running}, timeout=60)

    assert running.cancelled()
    assert (processes_of(reader.cache), zombies()) == ([], [])


async def test_a_head_that_never_answers_is_not_opened(reader: Reader, repository: Workshop) -> None:
    (repository.place / ".git" / "HEAD").unlink()
    os.mkfifo(repository.place / ".git" / "HEAD")

    with pytest.raises(ValidationFailure, match="no git repository"):
        await reader.items()


async def test_a_tree_without_end_is_refused(reader: Reader, repository: Workshop) -> None:
    """Each level holds the one below ten times: six small objects, a million files."""
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"x")
    lines = "".join(f"100644 blob {blob}\tf{number}\n" for number in range(10))
    for _ in range(5):
        tree = repository.git("mktree", stdin=lines.encode())
        lines = "".join(f"040000 tree {tree}\td{number}\n" for number in range(10))
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", tree, "-m", "a bomb"))
    reader.limits = Limits(files=5000)

    with pytest.raises(ValidationFailure) as told:
        await reader.items()

    assert told.value.code is Code.TOO_LARGE
    assert processes_of(reader.cache) == []


async def test_too_long_an_answer_is_refused(reader: Reader, repository: Workshop) -> None:
    tip = repository.commit()
    repository.git(
        "update-ref", "--stdin", stdin=b"".join(b"create refs/tags/v%d %b\n" % (n, tip.encode()) for n in range(99))
    )
    reader.limits = Limits(answer_bytes=1000)

    with pytest.raises(ValidationFailure) as told:
        await reader.items()

    assert told.value.code is Code.TOO_LARGE
    assert processes_of(reader.cache) == []


async def test_git_that_is_missing_is_told(reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Fatal, match="not installed") as told:
        await reader.items()

    assert told.value.hint


async def test_git_that_is_too_old_is_told(reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.20.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent))

    with pytest.raises(Fatal, match="too old"):
        await reader.items()


async def test_a_tree_with_a_path_that_is_no_path_is_read(reader: Reader, repository: Workshop) -> None:
    """Put together by hand: `..`, `.git`, an empty name's neighbour, the same name twice, and out of order."""
    blob = bytes.fromhex(repository.git("hash-object", "-w", "--stdin", stdin=b"x"))
    raw = b"".join(b"100644 %b\0" % name + blob for name in (b"z", b"..", b".git", b"a", b"a", b"a:b\x01"))
    tree = repository.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", tree, "-m", "odd"))

    found = await reader.items(entities=["file"])

    assert list(found) == ["file:..", "file:.git", "file:a", r"file:a:b\x01", "file:z"]
