"""A tree of one's own, and a reader that lists it as a run would."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from windrow.connectors.files import FilesConnector
from windrow.connectors.files.config import FilesConfig
from windrow.connectors.permits import Permits
from windrow.connectors.standalone import standalone
from windrow.contracts.item import Item
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope

NOBODY = 65534


@dataclass
class Reader:
    """Lists a tree. Everything is permitted below the directory that the tree is in."""

    top: Path
    permitted: Path
    cancelled: bool = False
    said: list[tuple[str, str]] = field(default_factory=list)

    def connector(self, **config: Any) -> FilesConnector:
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", (self.permitted,)),
            cache=self.permitted / "cache",
            say=self._hear,
            cancelled=lambda: self.cancelled,
        )
        return FilesConnector(FilesConfig(**{"path": str(self.top), "hidden": True} | config), context)

    def _hear(self, event: str, /, *, position: str, reason: str) -> None:
        assert event == "connector.skipped"
        self.said.append((position, reason))

    async def pages(self, cursor: Any = None, size: int = 50, **config: Any) -> list[Page]:
        connector = self.connector(**config)
        async with aclosing(connector.fetch_pages(cursor, size)) as pages:
            return [page async for page in pages]

    async def items(self, cursor: Any = None, size: int = 50, **config: Any) -> dict[str, Item]:
        """By external id, in the order of the listing."""
        connector = self.connector(**config)
        return {
            one.external_id: one
            for page in await self.pages(cursor, size, **config)
            for one in map(connector.item, page.records)
        }

    async def ids(self, cursor: Any = None, size: int = 50, **config: Any) -> list[str]:
        return ids(*await self.pages(cursor, size, **config))


def ids(*pages: Page) -> list[str]:
    return [record["id"] for page in pages for record in page.records]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    top = tmp_path / "top"
    top.mkdir()
    return Reader(top, tmp_path)


@pytest.fixture
def top(reader: Reader) -> Path:
    return reader.top


@pytest.fixture
def open_reader() -> Iterator[Reader]:
    """A reader of a tree that everybody can get to."""
    ground = Path(tempfile.mkdtemp()).resolve()
    ground.chmod(0o755)
    (ground / "top").mkdir()
    yield Reader(ground / "top", ground)
    shutil.rmtree(ground)


@contextmanager
def unprivileged() -> Iterator[None]:
    """As somebody whom permissions concern."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)


def fill(top: Path, *paths: str) -> None:
    """Files whose content is their path; a slash at the end makes a directory."""
    for path in paths:
        place = top / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(os.fsencode(path))


def clear(top: Path) -> None:
    """Nothing is left but the directory itself."""
    for path in top.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
