"""The local disk: durable, whole after a crash, and not to be led astray by what stands in its directory."""

import asyncio
import errno
import fcntl
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Said

from windrow.contracts.errors import Code, Conflict, Fatal, WindrowError
from windrow.objects import ObjectStore
from windrow.objects.local import LocalObjects
from windrow.objects.local.locks import STRIPES
from windrow.objects.local.reading import _head
from windrow.objects.local.tree import Tree, spot_of

MEGABYTE = 1024 * 1024


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "home" / "objects"


@pytest.fixture
def objects(root: Path) -> LocalObjects:
    return LocalObjects(root)


@pytest.fixture
def store(objects: LocalObjects) -> ObjectStore:
    return objects.for_tenant("acme")


async def keys(store: ObjectStore) -> list[str]:
    return [listed.key async for listed in store.list()]


def files(root: Path) -> set[str]:
    """Every file but the locks."""
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return {name for name in found if "/.locks/" not in name}


def modes_for_others(root: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in [root, *root.rglob("*")]}


def path_of(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


# what is on the disk


@pytest.mark.req("EV-13")
async def test_a_person_finds_an_object_where_its_key_says(store: ObjectStore, root: Path) -> None:
    await store.put("results/42/clip.mp4", b"a clip", content_type="video/mp4")

    assert (root / "acme/3/results/42/clip.mp4").read_bytes() == b"a clip"
    assert files(root) == {"acme/3/results/42/clip.mp4"}


async def test_a_file_that_a_person_laid_there_is_an_object(store: ObjectStore, root: Path) -> None:
    (root / "acme/2/incoming").mkdir(parents=True)
    (root / "acme/2/incoming/report.json").write_bytes(b"{}")

    head = await store.head("incoming/report.json")
    assert head is not None
    assert (head.content_type, await keys(store)) == ("application/json", ["incoming/report.json"])
    await store.put_if_matches("incoming/report.json", b"[]", head.etag)


async def test_only_the_owner_may_read_it(store: ObjectStore, root: Path) -> None:
    await store.put("a/b", b"x")

    assert modes_for_others(root) == {0}


async def test_nothing_is_left_when_everything_is_deleted(store: ObjectStore, root: Path) -> None:
    await store.put("results/1/attempts/2/clip.mp4", b"x", content_type="text/odd")
    await store.put("results/1/clip.mp4", b"x")
    await store.delete("results/1/attempts/2/clip.mp4")
    await store.delete("results/1/clip.mp4")

    left = {path.name for path in (root / "acme").iterdir()}
    assert left <= {".drafts", ".locks"}


async def test_a_replaced_object_of_an_ordinary_type_leaves_no_note(store: ObjectStore, root: Path) -> None:
    await store.put("a.json", b"x", content_type="text/odd")
    await store.put("a.json", b"y", content_type="application/json")

    assert files(root) == {"acme/1/a.json"}


# durable


async def test_a_put_is_on_the_disk_before_it_is_named_and_the_name_before_it_returns(
    store: ObjectStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real_fsync, real_rename, real_link = os.fsync, os.rename, os.link

    def fsync(descriptor: int) -> None:
        path = path_of(descriptor)
        where = str(path.relative_to(root)) if path.is_relative_to(root) else "above"
        calls.append("fsync draft" if where.startswith("acme/.drafts/") else f"fsync {where}")
        real_fsync(descriptor)

    def rename(*args: object, **kwargs: object) -> None:
        calls.append("named")
        real_rename(*args, **kwargs)  # type: ignore[arg-type]

    def link(*args: object, **kwargs: object) -> None:
        calls.append("named")
        real_link(*args, **kwargs)  # type: ignore[arg-type]

    await store.put("x", b"x")
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr(os, "link", link)
    await store.put("a/b", b"x")
    await store.put_if_absent("a/c", b"x")

    durable = ["fsync draft", "named", "fsync .", "fsync acme", "fsync acme/2", "fsync acme/2/a"]
    assert calls == durable * 2


async def test_a_directory_that_is_made_on_the_way_is_made_durable_too(
    store: ObjectStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[Path] = set()
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        synced.add(path_of(descriptor))
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    await store.put("a", b"x")

    assert {root.parent.parent, root.parent, root, root / "acme/1"} <= synced


# a full disk, a wrong disk


async def test_a_full_disk_is_told_plainly_and_leaves_nothing(
    store: ObjectStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.put("a", b"before")
    real_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        if len(data) < MEGABYTE:
            return real_write(descriptor, data)
        real_write(descriptor, data[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(Fatal) as raised:
        await store.put("a", b"x" * MEGABYTE)
    with pytest.raises(Fatal):
        async with store.open_writer("b") as writer:
            await writer.write(b"x" * MEGABYTE)

    assert raised.value.code is Code.DISK_FULL
    assert raised.value.hint
    assert await store.get("a") == b"before"
    assert files(root) == {"acme/1/a"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this user may not mount a small file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def test_a_disk_that_is_really_full_is_told_plainly_and_leaves_nothing(small_disk: Path) -> None:
    store = LocalObjects(small_disk).for_tenant("acme")
    await store.put("a", b"before")

    with pytest.raises(Fatal) as raised:
        await store.put("a", b"x" * 2 * MEGABYTE)

    assert raised.value.code is Code.DISK_FULL
    assert files(small_disk) == {"acme/1/a"}
    await store.put("a", b"x" * (MEGABYTE // 2))


async def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    with pytest.raises(Fatal) as raised:
        await LocalObjects(tmp_path / "file").for_tenant("acme").put("a", b"x")

    assert raised.value.code is Code.CORRUPTED


async def test_a_store_that_does_not_exist_yet_is_empty(store: ObjectStore, objects: LocalObjects, root: Path) -> None:
    assert await keys(store) == []
    assert await store.head("a") is None
    assert await objects.sweep() == 0
    assert not files(root.parent)


# links and other strangers


async def test_links_are_neither_followed_nor_listed(store: ObjectStore, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("outside")
    await store.put("folder/a", b"x")
    (root / "acme/2/link").symlink_to(outside)
    (root / "acme/2/folder/secret").symlink_to(outside / "secret")
    (root / "acme/1").symlink_to(outside)

    assert await keys(store) == ["folder/a"]
    for key in ("link/secret", "folder/secret", "secret"):
        assert await store.head(key) is None
    with pytest.raises(Fatal) as raised:
        await store.put("link/planted", b"x")
    assert raised.value.code is Code.CORRUPTED
    assert [path.name for path in outside.iterdir()] == ["secret"]


async def test_a_put_replaces_a_link_and_not_what_it_points_to(store: ObjectStore, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("outside")
    await store.put("folder/a", b"x")
    (root / "acme/2/folder/b").symlink_to(tmp_path / "outside")

    await store.put("folder/b", b"ours")

    assert await store.get("folder/b") == b"ours"
    assert (tmp_path / "outside").read_text() == "outside"


async def test_a_pipe_in_the_directory_holds_nobody_up(store: ObjectStore, root: Path) -> None:
    await store.put("folder/a", b"x")
    os.mkfifo(root / "acme/2/folder/pipe")

    assert await store.head("folder/pipe") is None
    assert await keys(store) == ["folder/a"]
    with pytest.raises(Conflict):
        await store.put_if_absent("folder/pipe", b"x")


async def test_names_that_no_key_can_have_are_not_listed(store: ObjectStore, root: Path) -> None:
    await store.put("folder/a", b"x")
    (root / "acme/2/folder/back\\slash").write_text("x")
    (root / "acme/2/folder/new\nline").write_text("x")
    (root / os.fsdecode(b"acme/2/folder/\xff")).write_text("x")
    (root / "acme/02").mkdir()
    (root / "acme/x").mkdir()

    assert await keys(store) == ["folder/a"]


async def test_a_reader_never_sees_one_object_with_the_type_of_another(store: ObjectStore) -> None:
    types = ["text/one", "text/two", "application/octet-stream"]
    over = asyncio.Event()

    async def replace_all_the_time() -> None:
        number = 0
        while not over.is_set():
            await store.put("a", str(number % 3).encode(), content_type=types[number % 3])
            number += 1

    await store.put("a", b"0", content_type=types[0])
    replacing = asyncio.create_task(replace_all_the_time())
    seen, readings = set(), 0
    while readings < 400 or len(seen) < len(types):  # who writes may be slower than who reads
        async with store.open_reader("a") as reader:
            content = b"".join([chunk async for chunk in reader])
        seen.add((types[int(content)], reader.head.content_type))
        readings += 1
    over.set()
    await replacing

    assert seen == {(name, name) for name in types}


async def test_a_file_whose_note_went_with_a_later_version_is_looked_at_again(store: ObjectStore, root: Path) -> None:
    tree = Tree(root, "acme", patience=1)
    await store.put("a", b"x", content_type="text/odd")
    file = tree.open_file(spot_of("a"))
    assert file is not None
    await store.put("a", b"y")

    with os.fdopen(file, "rb"):
        assert _head(tree, "a", file) is None


# crashes


async def test_a_draft_is_never_listed_and_swept_once_its_writer_is_dead(
    store: ObjectStore, objects: LocalObjects, root: Path, said: Said
) -> None:
    async with store.open_writer("a") as writer:
        await writer.write(b"x")
        (root / "acme/.drafts/left-by-a-dead-one").write_bytes(b"half an object")
        assert await keys(store) == []

        assert await objects.sweep() == 1

    assert await store.get("a") == b"x"
    assert files(root) == {"acme/1/a"}
    (line,) = said.events("objects.swept")
    assert line["files"] == 1


async def test_a_note_without_its_object_changes_nothing(store: ObjectStore, root: Path) -> None:
    await store.put("a", b"x", content_type="text/odd")
    (root / "acme/1/a").unlink()

    assert await store.head("a") is None
    await store.put("a", b"y")
    head = await store.head("a")
    assert head is not None
    assert head.content_type == "application/octet-stream"


async def test_a_note_that_is_damaged_leaves_the_type_to_the_suffix(store: ObjectStore, root: Path) -> None:
    await store.put("a.txt", b"x", content_type="text/odd")
    (root / "acme/.types/1/a.txt").write_bytes(b"{half")

    head = await store.head("a.txt")
    assert head is not None
    assert head.content_type == "text/plain"


PUTTER = textwrap.dedent(
    """
    import asyncio, pathlib, sys
    from windrow.objects.local import LocalObjects

    async def main() -> None:
        store = LocalObjects(pathlib.Path(sys.argv[1])).for_tenant("acme")
        for number in range(1_000_000):
            await store.put(f"shared/{number % 3}", bytes([number % 256]) * 300_000, content_type=f"text/x{number % 256}")
            if number == 0:
                print("ready", flush=True)

    asyncio.run(main())
    """
)


async def test_a_process_killed_while_putting_leaves_whole_objects(
    store: ObjectStore, objects: LocalObjects, root: Path
) -> None:
    for moment in (0.05, 0.12, 0.2):
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", PUTTER, str(root), stdout=PIPE)
        assert process.stdout is not None
        await process.stdout.readline()
        # however long it is let live, the moment of its death is somewhere in the middle of a put
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.wait(), moment)
        process.kill()
        await process.wait()

    await objects.sweep()
    listed = await keys(store)
    assert listed
    assert set(listed) <= {"shared/0", "shared/1", "shared/2"}
    for key in listed:
        async with store.open_reader(key) as reader:
            content = b"".join([chunk async for chunk in reader])
        assert content == content[:1] * 300_000
        assert reader.head.content_type == f"text/x{content[0]}"
    assert not list((root / "acme/.drafts").iterdir())


COUNTER = textwrap.dedent(
    """
    import asyncio, pathlib, sys
    from windrow.contracts.errors import Conflict
    from windrow.objects.local import LocalObjects

    async def main() -> None:
        store = LocalObjects(pathlib.Path(sys.argv[1])).for_tenant("acme")
        won = 0
        for number in range(20):
            try:
                await store.put_if_absent(f"race/{number}", sys.argv[2].encode())
                won += 1
            except Conflict:
                pass
        added = 0
        while added < 20:
            head = await store.head("counter")
            value = int(await store.get("counter"))
            try:
                await store.put_if_matches("counter", str(value + 1).encode(), head.etag)
                added += 1
            except Conflict:
                pass
        print(won)

    asyncio.run(main())
    """
)


async def test_processes_race_as_tasks_do(store: ObjectStore, root: Path) -> None:
    await store.put("counter", b"0")

    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", COUNTER, str(root), str(number), stdout=PIPE)
        for number in range(3)
    ]
    won = [int((await process.communicate())[0]) for process in processes]

    assert sum(won) == 20
    assert await store.get("counter") == b"60"


# locks


@pytest.fixture
async def all_locks(store: ObjectStore, root: Path) -> AsyncIterator[None]:
    """Every lock of the tenant, held by somebody else."""
    await store.put("a", b"before")
    with ExitStack() as stack:
        for number in range(STRIPES):
            lock = stack.enter_context((root / f"acme/.locks/{number:02}").open("ab"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("all_locks")
async def test_a_writer_that_is_stopped_does_not_stop_the_others_for_ever(store: ObjectStore, root: Path) -> None:
    hasty = LocalObjects(root, patience=timedelta(milliseconds=20)).for_tenant("acme")

    with pytest.raises(Conflict) as raised:
        await hasty.put("a", b"after")

    assert raised.value.code is Code.CONTENTION
    assert await store.get("a") == b"before"


@pytest.mark.usefixtures("all_locks")
async def test_readers_need_no_lock(store: ObjectStore) -> None:
    assert await store.get("a") == b"before"
    assert await keys(store) == ["a"]


async def test_a_late_write_to_a_closed_writer_reaches_no_other_file(store: ObjectStore, tmp_path: Path) -> None:
    async with store.open_writer("a") as writer:
        pass

    with (tmp_path / "innocent").open("wb"), pytest.raises(WindrowError):
        await writer.write(b"late")

    assert (tmp_path / "innocent").read_bytes() == b""
