"""Child processes of handlers: heard, limited, and never left behind."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.jobs import child
from windrow.jobs.child import Limits

GENEROUS = Limits(seconds=30)


def python(program: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", program]


async def test_every_line_is_heard_in_order_and_the_end_of_stderr_is_kept(tmp_path: Path) -> None:
    lines: list[str] = []

    async def heard(line: str) -> None:
        lines.append(line)

    done = await child.run(
        python(
            "import sys; print('one'); print('two\\rthree'); print('oops', file=sys.stderr); sys.stdout.write('rest')"
        ),
        cwd=tmp_path,
        limits=GENEROUS,
        heard=heard,
    )

    assert lines == ["one", "two", "three", "rest"]
    assert (done.code, done.stderr) == (0, "oops\n")


async def test_its_exit_code_is_told(tmp_path: Path) -> None:
    assert (await child.run(python("raise SystemExit(7)"), cwd=tmp_path, limits=GENEROUS)).code == 7


async def test_a_program_that_is_not_there_is_a_matter_for_a_person(tmp_path: Path) -> None:
    with pytest.raises(Fatal):
        await child.run([str(tmp_path / "nothing")], cwd=tmp_path, limits=GENEROUS)


async def test_it_sees_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_SECRET", "x")
    lines: list[str] = []

    async def heard(line: str) -> None:
        lines.append(line)

    await child.run(python("import os; print(sorted(os.environ))"), cwd=tmp_path, limits=GENEROUS, heard=heard)

    assert "WINDROW" not in lines[0]


async def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    (tmp_path / "pid").touch()  # on a slow machine it is killed before it writes anything down
    with pytest.raises(RetryableTransient) as refused:
        await child.run(python(_sleeping(tmp_path)), cwd=tmp_path, limits=Limits(seconds=2))

    assert refused.value.code == Code.TIMEOUT
    assert await _all_gone(tmp_path)


async def test_one_that_wants_too_much_memory_fails_by_itself(tmp_path: Path) -> None:
    done = await child.run(python("x = bytearray(1 << 30)"), cwd=tmp_path, limits=Limits(seconds=30, memory=256 << 20))

    assert done.code != 0
    assert "MemoryError" in done.stderr


async def test_one_that_writes_too_much_is_killed_for_it(tmp_path: Path) -> None:
    program = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open('big', 'wb').write(bytes(1 << 20))"

    done = await child.run(python(program), cwd=tmp_path, limits=Limits(seconds=30, file_size=1 << 16))

    assert done.file_too_large
    assert (tmp_path / "big").stat().st_size <= 1 << 16


async def test_a_cancellation_kills_it_and_all_that_it_started(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys, time;"
        "other = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(60)']);"
        "open('pid.part', 'w').write(f'{os.getpid()} {other.pid}'); os.rename('pid.part', 'pid'); print('ready', flush=True); time.sleep(60)"
    )
    ready = asyncio.Event()

    async def heard(line: str) -> None:
        ready.set()

    running = asyncio.create_task(child.run(python(program), cwd=tmp_path, limits=GENEROUS, heard=heard))
    await ready.wait()
    running.cancel()
    await asyncio.wait([running])

    assert running.cancelled()
    assert await _all_gone(tmp_path)


async def test_an_error_of_the_listener_kills_it_too(tmp_path: Path) -> None:
    async def heard(line: str) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        await child.run(python(_sleeping(tmp_path)), cwd=tmp_path, limits=GENEROUS, heard=heard)

    assert await _all_gone(tmp_path)


async def test_what_outlives_it_with_our_pipes_in_hand_does_not_hold_us_up(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, sys;"
        "other = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(60)'], stdout=subprocess.DEVNULL);"
        "open('pid', 'w').write(str(other.pid))"
    )

    async with asyncio.timeout(50):
        done = await child.run(python(program), cwd=tmp_path, limits=GENEROUS)

    assert done.code == 0
    assert await _all_gone(tmp_path)


def _sleeping(directory: Path) -> str:
    return "import os, time; open('pid', 'w').write(str(os.getpid())); print('ready', flush=True); time.sleep(60)"


async def _all_gone(directory: Path) -> bool:
    """Soon: what was killed takes a moment to end."""
    for _ in range(1500):
        if not _alive(directory):
            return True
        await asyncio.sleep(0.02)
    return False


def _alive(directory: Path) -> list[int]:
    """Those whose pids were written down and that are still there; one that waits to be collected is not."""
    found = []
    for pid in map(int, (directory / "pid").read_text().split()):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            continue
        if state != "Z":
            found.append(pid)
    return found


def test_the_shim_imports_nothing_of_ours() -> None:
    text = Path(child.child_shim.__file__).read_text()

    assert "windrow" not in text
    assert os.access(sys.executable, os.X_OK)
