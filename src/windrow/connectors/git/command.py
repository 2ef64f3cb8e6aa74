"""Runs git: plumbing commands, within limits, in an environment that nobody but us has a word in.

What git would run or read on somebody's behalf is shut off here, for every command:

    configuration of the system and the user    GIT_CONFIG_NOSYSTEM, GIT_CONFIG_GLOBAL, and a HOME that is empty
    configuration of the repository             not read: a local one is looked at through a view (`local`)
    transports, lazy fetches of lost objects    GIT_ALLOW_PROTOCOL is empty but for a fetch, GIT_NO_LAZY_FETCH
    questions                                   GIT_TERMINAL_PROMPT=0, no askpass, no terminal, stdin closed
    replaced objects                            GIT_NO_REPLACE_OBJECTS: a SHA means what it says
    locks and writes                            GIT_OPTIONAL_LOCKS=0
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windrow.connectors.git.failures import GitFailed, hung
from windrow.connectors.git.process import Running, running
from windrow.connectors.git.tokens import Tokens
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, ValidationFailure

MIB = 1024 * 1024
GIB = 1024 * MIB

Take = Callable[[list[bytes]], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes that are enough for anything honest."""

    answer_seconds: float = 120.0
    walk_seconds: float = 3600.0
    fetch_seconds: float = 3600.0
    answer_bytes: int = 64 * MIB
    # the largest file that a fetch may write, so the largest pack of a clone
    clone_bytes: int = 32 * GIB
    # after so many fetches, their packs become one
    packs: int = 50
    # a few objects can make a tree without end, by holding each other many times
    files: int = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One command: its arguments, the repository, what it reads, the settings that it alone has."""

    args: tuple[str, ...]
    git_dir: Path | None = None
    stdin: bytes = b""
    # by the environment: other users of the machine can read a command line
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    # which transports may be used
    protocols: str = ""
    seconds: float | None = None
    largest_file: int | None = None
    # exit codes that are an answer
    codes: frozenset[int] = frozenset({0})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed, and how it ended."""

    code: int
    output: bytes


class Git:
    """The git of one endpoint."""

    def __init__(
        self,
        executable: Path,
        tool: ExecutionTool,
        *,
        home: Path,
        cancelled: Callable[[], bool],
        limits: Limits | None = None,
    ) -> None:
        self._executable, self._tool, self._home, self._cancelled = executable, tool, home, cancelled
        self.limits = limits or Limits()

    async def answer(self, order: Order) -> Answer:
        """A command whose whole output is wanted."""
        found: list[bytes] = []
        room = self.limits.answer_bytes

        def take(chunk: bytes) -> None:
            nonlocal room
            room -= len(chunk)
            if room < 0:
                raise ValidationFailure(
                    f"`git {order.args[0]}` answers more than {self.limits.answer_bytes >> 20} MiB",
                    code=Code.TOO_LARGE,
                    hint="harvest less of the repository",
                )
            found.append(chunk)

        code = await self._run(order, take, self.limits.answer_seconds)
        return Answer(code, b"".join(found))

    async def walk(self, order: Order, take: Take, *, longest: int = MIB) -> None:
        """A command whose output is endless for our purposes: taken in as it comes, token by token."""
        tokens = Tokens(longest)
        await self._run(order, lambda chunk: take(tokens.cut(chunk)), self.limits.walk_seconds)
        take(tokens.end())

    async def _run(self, order: Order, take: Callable[[bytes], None], seconds: float) -> int:
        return await self._tool.call(order.args[0], lambda: self._made(order, take, order.seconds or seconds))

    async def _made(self, order: Order, take: Callable[[bytes], None], seconds: float) -> int:
        argv = [str(self._executable), "--no-pager", *order.args]
        try:
            async with (
                asyncio.timeout(seconds),
                running(argv, env=self._env(order), stdin=order.stdin, largest_file=order.largest_file) as process,
            ):
                return await self._heard(order, process, take)
        except TimeoutError as error:
            raise hung(order.args[0], seconds) from error

    async def _heard(self, order: Order, process: Running, take: Callable[[bytes], None]) -> int:
        async for chunk in process.chunks():
            if self._cancelled():
                raise asyncio.CancelledError
            take(chunk)
        code = await process.code()
        if code not in order.codes:
            raise GitFailed(order.args[0], code, process.complaint)
        return code

    def _env(self, order: Order) -> dict[str, str]:
        settings = {"core.hooksPath": os.devnull, "core.askPass": "", "gc.auto": "0", **order.settings}
        return {
            # git finds its parts by itself; this is for the few that are scripts
            "PATH": f"{self._executable.parent}:{os.defpath}",
            "HOME": str(self._home),
            "XDG_CONFIG_HOME": str(self._home),
            "LC_ALL": "C",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": order.protocols,
            "GIT_DIR": str(order.git_dir or self._home / "nowhere"),
            "GIT_CONFIG_COUNT": str(len(settings)),
            **{f"GIT_CONFIG_KEY_{place}": name for place, name in enumerate(settings)},
            **{f"GIT_CONFIG_VALUE_{place}": value for place, value in enumerate(settings.values())},
        }
