"""Checks of how a connector behaves: when it calls, how often at once, and how it leaves."""

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from windrow.connectors.conformance.candidate import Candidate, Opened
from windrow.connectors.conformance.reading import Read, leave, pages, turned
from windrow.connectors.conformance.result import Failed, Skipped
from windrow.connectors.connector import Connector
from windrow.contracts.page import Page

_OPEN = Path("/proc/self/fd")


async def on_demand(candidate: Candidate) -> str:
    """The source is asked for a page when the page is asked for, and never ahead of that."""
    if len(candidate.first) < 2:
        raise Skipped("the source has one page only")
    async with candidate.open() as opened, pages(opened.connector, None, candidate.size) as given:
        for place in (1, 2):
            await anext(given)
            calls = opened.witness.calls
            await asyncio.sleep(candidate.limits.quiet)
            if opened.witness.calls > calls:
                raise Failed(
                    f"after page {place} the source is called though nobody asked for the next",
                    "fetch no page ahead: the number drawn before a request decides whose word is newer",
                )
    return "no call between two pages"


async def concurrency(candidate: Candidate) -> str:
    """Never more calls at once than the spec says; every call goes through the execution tool."""
    witness = candidate.first_witness
    if not witness.calls:
        raise Failed(
            "no call of the source was seen", "make each call with `ExecutionTool.call`: it counts, traces and limits"
        )
    if witness.most_at_once > candidate.spec.max_concurrency:
        raise Failed(
            f"{witness.most_at_once} calls at once where the spec says {candidate.spec.max_concurrency}",
            "give `ExecutionTool` the spec's max_concurrency, and one tool to all calls",
        )
    return f"{witness.calls} calls, at most {witness.most_at_once} at once"


async def cancellation(candidate: Candidate) -> str:
    """A run that is asked to end makes no new call and is told nothing untrue; a cancelled call ends at once."""
    if len(candidate.first) < 2:
        raise Skipped("the source has one page only")
    async with candidate.open() as opened:
        await _asked_to_end(candidate, opened)
    async with candidate.open() as opened:
        await _cancelled(candidate, opened)
    return "between pages and within a call"


async def _asked_to_end(candidate: Candidate, opened: Opened) -> None:
    witness, later = opened.witness, list[Read]()
    async with pages(opened.connector, None, candidate.size) as given:
        await anext(given)
        calls, witness.cancelled = witness.calls, True
        try:
            async for page in given:
                later.append(turned(opened.connector, page))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task and task.cancelling():
                raise
    if witness.calls > calls:
        raise Failed(
            "the source is called after the run was asked to end", "begin no call once `context.cancelled()` is true"
        )
    if _told(later) != _told(candidate.first[1 : len(later) + 1]):
        raise Failed(
            "asked to end, it gives a page that the source does not have",
            "let the cancellation pass: an end that is none would be taken for the whole",
        )


async def _cancelled(candidate: Candidate, opened: Opened) -> None:
    async with pages(opened.connector, None, candidate.size) as given:
        page = asyncio.ensure_future(_next(given))
        opened.witness.when_called = page.cancel
        await asyncio.wait({page}, timeout=candidate.limits.prompt)
        opened.witness.when_called = bool
        if not page.done():
            page.cancel()
            raise Failed(f"a cancelled call goes on for {candidate.limits.prompt:g} s", "let the cancellation pass")
        if opened.witness.calls and not page.cancelled():
            became = type(page.exception()).__name__ if page.exception() else "a page"
            raise Failed(f"a cancelled call ends in {became}", "let the cancellation pass: catch no CancelledError")


async def _next(given: AsyncIterator[Page]) -> Page:
    return await anext(given)


def _told(reads: list[Read]) -> list[Any]:
    return [(sorted(item.external_id for item in each.items), each.page.last, each.page.whole) for each in reads]


async def close(candidate: Candidate) -> str:
    """Left in the middle of a pass and closed, twice even, a connector leaves nothing behind."""
    tasks, files = asyncio.all_tasks(), _open_files()
    async with candidate.open() as opened:
        given = opened.connector.fetch_pages(None, candidate.size)
        await anext(given)
        await _ended(given)
        await _closed(opened.connector)
        await _closed(opened.connector)
    del opened, given
    await asyncio.sleep(candidate.limits.quiet)
    if left := [task.get_coro() for task in asyncio.all_tasks() - tasks]:
        raise Failed(f"{len(left)} tasks go on: {getattr(left[0], '__qualname__', left[0])}", "end them in `close`")
    gc.collect()
    if (more := await _more_open_than(files, candidate)) > 0:
        raise Failed(f"{more} files or sockets stay open", "close them in `close`, or where they are used")
    return "nothing is left behind"


async def _more_open_than(files: int, candidate: Candidate) -> int:
    """How many files too many are open. Who has the other end of a socket, and may be in this process, closes it in time."""
    clock = asyncio.get_running_loop().time
    until = clock() + candidate.limits.prompt
    while (more := _open_files() - files) > 0 and clock() < until:  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(candidate.limits.quiet)
    return more


async def _ended(given: AsyncIterator[Page]) -> None:
    try:
        await leave(given)
    except Exception as error:
        raise Failed(
            f"the pages cannot be left in the middle: {type(error).__name__}: {error}",
            "give nothing more once `fetch_pages` is being closed",
        ) from error


async def _closed(connector: Connector[Any]) -> None:
    try:
        await connector.close()
    except Exception as error:
        raise Failed(
            f"`close` raises {type(error).__name__}: {error}", "let it be called at any time, and more than once"
        ) from error


def _open_files() -> int:
    """How many files this process has open; 0 where the system does not say."""
    return len(list(_OPEN.iterdir())) if _OPEN.is_dir() else 0
