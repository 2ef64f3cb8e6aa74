"""Something that happens, shown as it does: line by line for a pipe, in place at a terminal."""

import json as encoding
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from windrow.cli import show

T = TypeVar("T")
E = TypeVar("E")
# what it is about, and what befell it since the last look
See = Callable[[T, list[E]], None]

# a person sees no difference to more often
LOOK = 0.4


def following(
    console: Console, *, json: bool, line: Callable[[E], str], picture: Callable[[T, list[E]], RenderableType]
) -> AbstractContextManager[See[T, E]]:
    """Whatever fits where it is shown. `picture` is given all that befell it, but for its progress."""
    return _drawing(console, picture) if console.is_terminal and not json else _telling(line, json=json)


@contextmanager
def _telling(line: Callable[[E], str], *, json: bool) -> Iterator[See[Any, E]]:
    def see(_: Any, fresh: list[E]) -> None:
        for one in fresh:
            said = encoding.dumps(show.plain(asdict(one))) if json else line(one)  # type: ignore[call-overload]
            print(said, flush=True)  # noqa: T201 - to whoever reads the pipe

    yield see


@contextmanager
def _drawing(console: Console, picture: Callable[[T, list[E]], RenderableType]) -> Iterator[See[T, E]]:
    befell: list[E] = []
    with Live(Text("…"), console=console, refresh_per_second=10) as live:

        def see(about: T, fresh: list[E]) -> None:
            befell.extend(one for one in fresh if getattr(one, "event", None) != "progress")
            live.update(picture(about, befell))

        yield see
