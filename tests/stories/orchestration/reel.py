"""The source of these stories: pages as files, in order. A page may be a pipe: who reads it waits there for the test.

So a test knows, without asking again and again, that a run has come to a page and no further; and who reads it.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import Capabilities, ConnectorSpec
from windrow.contracts.page import Cursor, Page

HEARTBEAT_SECONDS = 2


class ReelConfig(BaseModel):
    """Where it lies."""

    path: str


class Reel(Connector[ReelConfig]):
    """Reads page after page; the cursor is the number of the next one."""

    spec = ConnectorSpec(
        name="reel",
        version="1",
        title="A reel of pages",
        source_system="reel",
        config=ReelConfig,
        capabilities=Capabilities(incremental=True),
    )

    async def prepare(self) -> list[Finding]:
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:  # noqa: ARG002 - it is wound
        number = cursor or 0
        while True:
            names = await asyncio.to_thread(_read, Path(self.config.path), number)
            number += bool(names)
            last = not (Path(self.config.path) / _page(number)).exists()
            yield Page(records=names, cursor=number, position=str(number), last=last)
            if last:
                return

    def item(self, record: Any) -> dict[str, Any]:
        return {"entity_type": "thing", "external_id": record, "display_name": f"The {record}"}


class Pages:
    """The reel, in the hands of a test."""

    def __init__(self, directory: Path, *, pages: int = 6, each: int = 5) -> None:
        directory.mkdir(parents=True)
        self.path = directory
        self.names = [[f"{page}-{number}" for number in range(each)] for page in range(pages)]
        for page, names in enumerate(self.names):
            (directory / _page(page)).write_text(json.dumps(names))

    @property
    def all(self) -> list[str]:
        return sorted(name for names in self.names for name in names)

    def hold(self, page: int) -> None:
        """From here on, who comes to this page waits."""
        (self.path / _page(page)).unlink()
        os.mkfifo(self.path / _page(page))

    @contextmanager
    def reached(self, page: int) -> Iterator[int]:
        """Wait until somebody waits at the page: which process. Leaving lets it, or whoever comes after it, go on."""
        pipe = self.path / _page(page)
        with pipe.open("w") as wire:  # opens when there is a reader
            yield int((self.path / "reader").read_text())
            whole = pipe.with_suffix(".whole")
            whole.write_text(json.dumps(self.names[page]))
            whole.replace(pipe)
            try:
                wire.write(json.dumps(self.names[page]))
                wire.flush()
            except BrokenPipeError:  # nobody waits any longer
                os.dup2(os.open(os.devnull, os.O_WRONLY), wire.fileno())


def offer(place: Path) -> None:
    """A distribution below `place` that offers the connector, once that and the tests are on the path."""
    about = place / "windrow_reel-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: windrow-reel\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[windrow.connectors]\nreel = {__name__}:Reel\n")


def declare(specs: Path) -> None:
    """The connector's directive among the specs: who reads a reel is missed soon."""
    (specs / "reel.yaml").write_text(
        "directives:\n"
        "  reel:\n"
        '    version: "1"\n'
        "    agent: harvester\n"
        "    queue: meta-py\n"
        "    workflow: metadataCollectionWorkflow\n"
        "    family: harvesters\n"
        "    page_size: 100\n"
        f"    heartbeat_seconds: {HEARTBEAT_SECONDS}\n"
        "    retries: [transient, conflict, validation, fatal]\n"
        "    contracts: [run-order@1, normalized-item@1]\n"
        "    says: Read a reel.\n"
    )


def _page(number: int) -> str:
    return f"{number:03}.json"


def _read(directory: Path, number: int) -> list[str]:
    page = directory / _page(number)
    if not page.exists():
        return []
    if page.is_fifo():
        (directory / "reader").write_text(str(os.getpid()))
    names: list[str] = json.loads(page.read_text())
    return names
