"""The catalog by hand: typed into, narrowed, followed from item to item; all by keyboard where there is one."""

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_browser_pages import LAPTOP, PHONE, by_keys, listen, opened
from tests.integration.console.pages.fields_catalog import ROOT
from tests.integration.console.pages.visitors import Console

pytestmark = pytest.mark.timeout(600)


async def test_a_person_finds_an_item_by_typing_and_follows_what_it_has_to_do_with(
    full: Console, browser: Browser
) -> None:
    context = await opened(browser, LAPTOP, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(await full.link())
    await by_keys(page, "g", "c", title="Catalog · Windrow")
    await expect(page.get_by_role("row")).to_have_count(34)

    # typed, narrowed, let go: each shows other rows, without the page being left
    await page.keyboard.press("/")
    await page.keyboard.type("stor")
    await expect(page.get_by_text("8 items found.")).to_be_visible()
    await expect(page).to_have_url(f"{full.url}/catalog?q=stor")
    await page.get_by_role("navigation", name="Source").get_by_role("link", name="wiki").click()
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_role("navigation", name="Source").get_by_role("link", name="wiki").click()
    await expect(page.get_by_text("8 items found.")).to_be_visible()
    await page.wait_for_load_state()  # the script that searches as one types is there as well
    await page.get_by_role("searchbox").fill("stor nix")
    await expect(page.get_by_text("Nothing was found for")).to_be_visible()
    await page.get_by_role("link", name="“stor”").click()
    await expect(page.get_by_text("8 items found.")).to_be_visible()
    await page.wait_for_load_state()
    await page.get_by_role("searchbox").fill("")
    await expect(page.get_by_text("The latest changed first, of 33 items.")).to_be_visible()
    await page.get_by_role("link", name="what is gone").click()
    await page.get_by_role("link", name="old_store.py").click()
    await expect(page.get_by_text("Gone since")).to_be_visible()

    # from the drawing to a neighbour and back along the other end, by keyboard alone
    await page.goto(f"{full.url}/catalog/{ROOT}")
    neighbour = page.locator(".graph a", has_text="Anna")
    await neighbour.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Anna")
    await page.get_by_text("As a list").click()
    await page.get_by_role("listitem").get_by_role("link", name="windrow").click()
    await page.get_by_role("link", name="Earlier").click()
    await expect(page.get_by_text("revision 1", exact=False).last).to_be_visible()
    await page.get_by_text("Harvests what teams keep").first.click()
    await expect(page.get_by_label("description")).to_be_visible()

    # on a phone the drawing scrolls, and not the page
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    drawing = page.get_by_role("region", name="The item and what stands around it")
    assert await drawing.evaluate("one => one.scrollWidth > one.clientWidth")
    assert await page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    assert heard == []
