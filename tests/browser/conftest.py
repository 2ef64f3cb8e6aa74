"""A real browser before a real console. Where there is no chromium, the tests say so: `make browsers` installs it."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright, expect
from tests.integration.console.pages.fields import plough
from tests.integration.console.pages.fields_jobs import store
from tests.integration.console.pages.visitors import Console, answering, console

from windrow.postgres import Database

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# on a busy machine a page may take its time
PATIENCE = 100_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """With an empty profile, and no way to anything but this machine's pages."""
    if CHROMIUM is None:
        pytest.skip("THE CONSOLE WAS NOT LOOKED AT BY A BROWSER: there is no chromium; `make browsers` installs it")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        await launched.close()


@pytest.fixture
async def full(database: Database, tmp_path: Path) -> AsyncIterator[Console]:
    """A console with something on every page."""
    plough(database.url)
    async with console(database, tmp_path, every=0.5, temporal=answering) as opened:
        await store(opened)
        yield opened
