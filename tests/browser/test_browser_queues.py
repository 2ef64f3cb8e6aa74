"""What people do about queues, alerts and keys: every control of those pages, by hand."""

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_browser_pages import LAPTOP, listen, opened
from tests.integration.console.pages.fields import connect
from tests.integration.console.pages.fields_queues import lane
from tests.integration.console.pages.visitors import Console

pytestmark = pytest.mark.timeout(600)


async def test_a_person_gets_what_is_stuck_going_again(full: Console, browser: Browser) -> None:
    with connect(full.database.url) as connection:
        lane(connection, "archive", pending=1, why="a batch of nonsense")
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await full.link())
    asked, said = page.get_by_role("dialog"), page.get_by_role("status").first

    await page.goto(f"{full.url}/queues")
    await expect(page.get_by_role("heading", name="2 lanes have stopped on a batch")).to_be_visible()
    archive = page.get_by_role("region", name="archive: stopped on a batch")
    await archive.get_by_text("Discard the batch …").click()
    await archive.get_by_label("Why it may be lost").fill("nobody needs it")
    await archive.get_by_role("button", name="Discard it").click()
    await asked.get_by_role("button", name="Leave it").click()
    await archive.get_by_role("button", name="Discard it").click()
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("The batch was set aside for good")
    await page.get_by_role("button", name="Try again").click()
    await expect(said).to_contain_text("The lane flows again")

    await page.get_by_role("link", name="look at them").click()
    await page.get_by_role("link", name="github").first.click()
    await page.get_by_role("button", name="Put it back").click()
    await expect(said).to_contain_text("Put back.")
    await page.get_by_role("link", name="github").first.click()
    await page.get_by_text("Give it up …").click()
    await page.wait_for_load_state()  # this page is there with the script that asks once
    await page.get_by_label("Why it may be lost").fill("it is old")
    await page.keyboard.press("Enter")
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("Given up for good.")
    await page.get_by_role("link", name="notify.security.webhook").first.click()
    await page.get_by_text("Put back …").click()
    await page.wait_for_load_state()
    await page.get_by_role("button", name="Put them back").click()
    await expect(asked).to_contain_text("Put 1 letter back?")
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("Put back.")
    await page.get_by_role("link", name="All dead letters").click()
    await page.get_by_text("Give up …").click()
    await page.wait_for_load_state()
    await page.get_by_label("Why they may be lost").fill("the table will not come back")
    await page.get_by_role("button", name="Give them up").click()
    await asked.get_by_role("button", name="Go on").click()
    await expect(page.get_by_text("No dead letters: everything was delivered")).to_be_visible()

    await page.goto(f"{full.url}/alerts")
    await page.get_by_role("link", name="pager").click()
    await expect(page.get_by_text("4 runs failed within 24 hours")).to_be_visible()
    await page.goto(f"{full.url}/kv")
    await page.keyboard.press("/")
    await page.keyboard.type("harvest/g")
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_role("link", name="harvest/github/cursor").click()
    await expect(page.get_by_role("heading", name="Fingerprint")).to_be_visible()
    await page.goto(f"{full.url}/kv")
    await page.get_by_text("New entry …").click()
    await page.get_by_label("Key", exact=True).fill("notes/mine")
    await page.get_by_label("Value, as JSON").fill('"a word"')
    await page.get_by_role("button", name="Write it").click()
    await page.get_by_text("Change …").click()
    await page.get_by_label("Value, as JSON").fill('"another"')
    await page.get_by_role("button", name="Write it").click()
    await expect(page.get_by_label("The value, redacted")).to_have_text('"another"')
    await page.wait_for_load_state()
    await page.get_by_role("button", name="Delete").click()
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("Deleted.")
    assert heard == []
