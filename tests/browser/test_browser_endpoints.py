"""A source is added, tried, edited, sampled, removed and brought back: by hand, with and without script."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.test_browser_pages import ALL, LAPTOP, PHONE, _flaws, listen, opened
from tests.integration.console.house import KEYS
from tests.integration.console.pages.fields import HOSTILE, connect, insert
from tests.integration.console.pages.visitors import Console, console

from windrow.app.api import api
from windrow.postgres import Database
from windrow.settings import Settings

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A directory with two files, one of which has a name that somebody chose with care."""
    directory = tmp_path / "shelf"
    directory.mkdir()
    for name in ("plain.txt", HOSTILE.replace("/", "_")):
        (directory / name).write_text(name)
    return directory


@pytest.fixture
async def site(database: Database, tmp_path: Path, shelf: Path) -> AsyncIterator[Console]:
    """With the ports of this machine: sources are really read."""
    ports = api(Settings(home=tmp_path / "home", paths_allowed=(f"acme={shelf}",)), database, KEYS).ports
    async with console(database, tmp_path, every=0.2, attempt=ports.attempt, preview=ports.preview) as opened_here:
        yield opened_here


async def look(page: Page, name: str) -> list[str]:
    """What is wrong with a page in this state; kept as a picture where somebody wants to see it."""
    if folder := os.environ.get("WINDROW_PICTURES"):
        await page.screenshot(path=f"{folder}/{name}.png", full_page=True)
    return [f"{name}: {flaw}" for flaw in await _flaws(page, ALL)]


async def test_a_source_lives_from_its_form_to_its_return(site: Console, browser: Browser, shelf: Path) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    flaws: list[str] = []
    await page.goto(await site.link())
    await page.goto(f"{site.url}/endpoints")

    await page.get_by_role("link", name="Add one").click()
    await page.get_by_role("link", name="A directory tree on this machine").click()
    await page.get_by_label("Name", exact=False).first.fill("shelf")
    await page.get_by_label("Path").fill(str(shelf.parent))
    await page.get_by_role("button", name="Test connection").click()
    await expect(page.get_by_role("region", name="It cannot be read yet")).to_be_focused()

    await page.get_by_label("Path").fill(str(shelf))
    await page.get_by_text("More:").click()
    await page.get_by_label("Exclude").fill("*.tmp\n*.bak")
    await page.get_by_label("Hidden").check()
    await page.get_by_role("button", name="Test connection").click()
    await expect(page.get_by_role("heading", name="It can be read")).to_be_visible()
    await expect(page.get_by_text("plain.txt").first).to_be_visible()
    flaws += await look(page, "well")
    await page.get_by_role("button", name="Save", exact=True).first.click()
    await expect(page.get_by_role("status").first).to_contain_text("Added. “Sync now” reads it at once")

    await page.get_by_role("button", name="Preview").click()
    await expect(page.get_by_role("heading", name=HOSTILE.replace("/", "_"))).to_be_visible()
    flaws += await look(page, "sample")
    await page.get_by_role("link", name="shelf").click()

    await page.get_by_role("link", name="Edit", exact=True).click()
    await expect(page.get_by_label("Exclude")).to_have_value("*.tmp\n*.bak")
    await page.get_by_label("Exclude").fill("*.tmp")
    await page.get_by_label("Why").fill("backups are wanted")
    await page.get_by_role("button", name="Save without testing").click()
    await expect(page.get_by_role("status").first).to_contain_text("Saved.")
    await page.wait_for_load_state()  # the script that asks once is there as well

    await page.get_by_text("Remove …").click()
    await page.locator("#act-remove").get_by_label("Why").fill("it moved")
    await page.locator("#act-remove").get_by_role("button", name="Remove").click()
    await page.get_by_role("dialog").get_by_role("button", name="Go on").click()
    await expect(page.locator(".notice.calm")).to_contain_text("by anna: it moved")
    flaws += await look(page, "removed")
    await page.get_by_role("button", name="Bring it back").click()
    await expect(page.get_by_role("status").first).to_contain_text("Brought back")

    assert (heard, flaws) == ([], [])


async def test_controls_follow_what_happens_and_keep_what_is_in_hand(site: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    with connect(site.database.url) as connection:
        insert(connection, "endpoints", project_id="main", endpoint_id="wiki", connector="files", config="{}")
        await page.goto(await site.link())
        await page.goto(f"{site.url}/endpoints/wiki")
        await page.get_by_text("Reschedule …").click()
        await page.get_by_label("Schedule").fill("15m")
        # out of the field, and nothing of the page is in hand
        await page.evaluate("document.activeElement.blur()")

        held = {"paused_at": "now", "paused_by": "otto", "paused_why": "a rest"}
        insert(connection, "endpoint_controls", project_id="main", endpoint_id="wiki", **held)

        await expect(page.get_by_role("button", name="Resume")).to_be_visible()
        await expect(page.get_by_text("Pause …")).to_have_count(0)
        await expect(page.get_by_label("Schedule")).to_have_value("15m")
    assert heard == []


async def test_what_is_wrong_is_found_by_keyboard_without_script_on_a_phone(site: Console, browser: Browser) -> None:
    context = await opened(browser, PHONE, "dark", java_script_enabled=False)
    page = await context.new_page()
    await page.goto(await site.link())
    await page.goto(f"{site.url}/add/git")

    await page.get_by_label("Name", exact=False).first.fill("Not A Name")
    await page.get_by_text("More:").click()
    await page.get_by_label("Max commits").fill("many")
    await page.get_by_role("button", name="Save without testing").click()

    await expect(page.get_by_role("alert")).to_contain_text("2 things are not right yet")
    name = page.get_by_label("Name", exact=False).first
    await expect(name).to_be_focused()
    await expect(name).to_have_attribute("aria-invalid", "true")
    await page.get_by_role("link", name="Max commits should be a valid integer").click()
    await expect(page.get_by_label("Max commits")).to_be_in_viewport()
    await expect(page.get_by_label("Max commits")).to_have_value("many")
    if folder := os.environ.get("WINDROW_PICTURES"):
        await page.screenshot(path=f"{folder}/faults.png", full_page=True)
