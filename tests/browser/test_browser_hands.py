"""What people do with the pages: by keyboard, by typing, by clicking; and all of it without script, too."""

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_browser_pages import LAPTOP, by_keys, listen, opened
from tests.integration.console.pages.fields import connect, endpoint
from tests.integration.console.pages.visitors import Console

pytestmark = pytest.mark.timeout(600)


async def test_a_person_finds_pauses_and_resumes_an_endpoint_by_keyboard(full: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await full.link())

    await by_keys(page, "g", "e", title="Endpoints · Windrow")
    await page.keyboard.press("/")
    await page.keyboard.type("git")
    await expect(page.get_by_role("row")).to_have_count(3)  # the heading, github, and what the git connector reads
    await page.get_by_role("link", name="github").click()
    await page.wait_for_url("**/endpoints/github")  # with the script that asks once

    await page.get_by_text("Pause …").click()
    await page.get_by_label("Why").first.fill("<b>a rest</b>")
    await page.keyboard.press("Enter")
    asked = page.get_by_role("dialog")
    await expect(asked).to_contain_text("Pause github?")
    await asked.get_by_role("button", name="Leave it").click()
    await expect(page.get_by_role("status")).to_have_count(0)
    await page.get_by_role("button", name="Pause", exact=True).click()
    await asked.get_by_role("button", name="Go on").click()
    await expect(page.get_by_role("status").first).to_contain_text("Paused.")
    await expect(page.locator(".notice.calm")).to_contain_text("by anna: <b>a rest</b>")

    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("status").first).to_contain_text("Resumed.")
    assert heard == []


async def test_a_schedule_is_changed_and_what_temporal_cannot_be_told_is_said(full: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    await page.goto(await full.link())
    await page.goto(f"{full.url}/endpoints/github")

    await page.get_by_text("Reschedule …").click()
    await page.get_by_label("Schedule", exact=True).fill("every now and then")
    await page.get_by_role("button", name="Reschedule").click()
    await expect(page.get_by_role("alert")).to_contain_text("That was not done")
    await expect(page.get_by_label("Schedule", exact=True)).to_have_value("every now and then")
    await page.get_by_label("Schedule", exact=True).fill("@daily")
    await page.get_by_role("button", name="Reschedule").click()
    await expect(page.get_by_role("status").first).to_contain_text("Rescheduled.")
    await expect(page.get_by_role("status").nth(1)).to_contain_text("Temporal could not be told yet.")

    await page.get_by_role("button", name="Sync now").click()
    await expect(page.get_by_role("alert")).to_contain_text("That was not done")


async def test_an_operator_looks_at_another_tenant_and_everybody_else_is_not_offered_to(
    full: Console, browser: Browser
) -> None:
    with connect(full.database.url, "other") as connection:
        endpoint(connection, "theirs")
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await full.link(anywhere=True))
    await page.goto(f"{full.url}/you")
    await page.get_by_label("Tenant").select_option("other")
    await page.get_by_role("button", name="Look there").click()
    await expect(page.locator(".who-where")).to_have_text("other / main")
    await page.goto(f"{full.url}/endpoints")
    await expect(page.get_by_role("link", name="theirs")).to_be_visible()
    await expect(page.get_by_role("link", name="github")).to_have_count(0)

    await context.clear_cookies()
    await page.goto(await full.link())
    await page.goto(f"{full.url}/you")
    await expect(page.get_by_text("Where you look")).to_have_count(0)
    assert heard == []


async def test_a_page_follows_what_happens_and_leaves_what_is_in_hand(full: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "dark")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await full.link())
    await page.goto(f"{full.url}/endpoints")

    with connect(full.database.url) as connection:
        connection.execute("UPDATE endpoint_controls SET paused_why = 'a second reason' WHERE endpoint_id = 'drive'")
    await expect(page.get_by_text("a second reason")).to_be_visible()

    link = page.get_by_role("link", name="wiki")
    await link.focus()
    with connect(full.database.url) as connection:
        connection.execute("UPDATE endpoint_controls SET paused_why = 'a third reason' WHERE endpoint_id = 'drive'")
    await expect(link).to_be_focused()
    await page.evaluate("document.activeElement.blur()")
    await expect(page.get_by_text("a third reason")).to_be_visible()
    assert heard == []


async def test_without_script_everything_can_be_done_all_the_same(full: Console, browser: Browser) -> None:
    context = await opened(browser, LAPTOP, "light", java_script_enabled=False)
    page = await context.new_page()
    await page.goto(await full.link())
    await page.goto(f"{full.url}/endpoints")

    await page.get_by_role("searchbox").fill("ware")
    await page.get_by_role("searchbox").press("Enter")
    await page.get_by_role("link", name="warehouse").click()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("status").first).to_contain_text("Resumed.")
    await page.goto(f"{full.url}/you")
    await page.get_by_role("button", name="dark").click()
    assert await page.locator("html").get_attribute("data-theme") == "dark"
    await page.get_by_role("button", name="Log out").click()
    await expect(page.get_by_text("You are not logged in.")).to_be_visible()
