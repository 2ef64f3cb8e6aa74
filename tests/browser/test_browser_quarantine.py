"""What people do about refused records, and how they find out who did it: every control of those pages, by hand."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_browser_pages import LAPTOP, by_keys, listen, opened
from tests.integration.console.pages.fields import connect, endpoint
from tests.integration.console.pages.fields_audit import plough_audit
from tests.integration.console.pages.fields_quarantine import plough_quarantine
from tests.integration.console.pages.visitors import Console, console

from windrow.contracts.scope import Scope
from windrow.harvest.quarantine import Quarantined, settle
from windrow.harvest.retrying import Attempt, Verdict
from windrow.postgres import Database

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
async def refusing(database: Database, tmp_path: Path) -> AsyncIterator[Console]:
    """A console with refused records, of which every third is refused again."""

    async def retry(scope: Scope, _: str, entries: Sequence[Quarantined], *__: object) -> list[Attempt]:
        attempts = [
            Attempt(entry, Verdict.NOT_KEPT)
            if entry.record is None
            else Attempt(entry, Verdict.REFUSED if int(entry.id, 16) % 3 else Verdict.PUBLISHED)
            for entry in entries
        ]
        async with database.tenant(scope.tenant_id) as tx:
            for attempt in attempts:
                if attempt.verdict is Verdict.PUBLISHED:
                    await settle(tx, attempt.entry, "retried")
        return attempts

    with connect(database.url) as connection:
        endpoint(connection, "wiki", "confluence")
        plough_quarantine(connection)
        plough_audit(connection)
    async with console(database, tmp_path, every=0.5, retry=retry) as opened_console:
        yield opened_console


async def test_a_person_deals_with_what_was_refused(refusing: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await refusing.link())
    asked, said = page.get_by_role("dialog"), page.get_by_role("status")

    await by_keys(page, "g", "q", title="Quarantine · Windrow")
    await page.get_by_label("Endpoint", exact=True).fill("wiki")
    await page.get_by_role("button", name="Show").click()
    await expect(page.get_by_role("heading", name="Quarantine of wiki")).to_be_visible()
    await page.get_by_role("link", name="should match").click()

    await page.get_by_role("button", name="Retry wiki-0003").click()
    await expect(said).to_contain_text("It passes today")
    await page.get_by_role("button", name="Retry wiki-0001").click()
    await expect(said).to_contain_text("It was refused again")
    await page.wait_for_load_state()  # the script that asks once is there as well
    await page.get_by_label("Dismiss wiki-0001").click()
    one = page.locator("#wiki-0000000000000001")
    await one.get_by_label("Why").fill("<b>a draft</b>")
    await one.get_by_role("button", name="Dismiss", exact=True).click()
    await expect(asked).to_contain_text("Give up this record?")
    await asked.get_by_role("button", name="Leave it").click()
    await expect(one).to_be_visible()
    await one.get_by_role("button", name="Dismiss", exact=True).click()
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("It is dismissed.")

    await page.get_by_role("button", name="Retry all 16").click()
    await expect(said).to_contain_text(["3 pass today", "9 were refused again", "4 were not kept whole"])
    await page.wait_for_load_state()
    await page.get_by_text("Dismiss all 13 …").click()
    await page.get_by_label("Why").first.fill("the old space is gone")
    await page.keyboard.press("Enter")
    await expect(asked).to_contain_text("Give up 13 records?")
    await asked.get_by_role("button", name="Go on").click()
    await expect(said).to_contain_text("13 are dismissed.")
    await expect(page.get_by_text("None with this fault is open any more")).to_be_visible()
    await page.get_by_role("link", name="dismissed").click()
    await expect(page.get_by_role("heading", name="wiki-0001")).to_be_visible()
    await expect(page.get_by_role("button", name="Retry")).to_have_count(0)

    await page.wait_for_load_state()
    await by_keys(page, "g", "t", title="Audit · Windrow")
    await expect(page.get_by_text("<b>a draft</b>")).to_be_visible()
    await page.get_by_label("Did").select_option("quarantine.drop")
    await page.get_by_label("Since").select_option("the last hour")
    await page.get_by_role("button", name="Show").click()
    await expect(page.get_by_role("row")).to_have_count(4)
    await page.get_by_role("row").nth(1).get_by_text("More").click()
    await expect(page.get_by_label("What else was written down").first).to_contain_text('"entries"')
    await page.get_by_role("link", name="refusals").click()
    await expect(page.get_by_text("is no writer")).to_be_visible()
    with connect(refusing.database.url) as connection:
        plough_audit(connection)
    await expect(page.get_by_text("is no writer")).to_have_count(2)
    await page.get_by_role("link", name="Show all").click()
    await page.get_by_role("link", name="quarantine/wiki").first.click()
    await expect(page.get_by_text("Nothing of wiki is in quarantine.")).to_be_visible()
    assert heard == []
