"""Every page as people see it: on a laptop and a phone, light and dark, without an error, and fit for everybody's senses."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, Page, Request, expect
from tests.browser.conftest import PATIENCE
from tests.integration.console.pages.fields_catalog import ROOT
from tests.integration.console.pages.fields_quarantine import WIKI_GROUP
from tests.integration.console.pages.visitors import Console

pytestmark = pytest.mark.timeout(900)

IMAGES = Path(__file__).parents[2] / "docs" / "images"
PAGES = {
    "overview": "/",
    "endpoints": "/endpoints",
    "endpoint": "/endpoints/tracker",
    "connectors": "/add",
    "add": "/add/github",
    "edit": "/endpoints/archive/edit",
    "runs": "/runs?endpoint=github",
    "run": "/runs/github-0",
    "jobs": "/jobs",
    "job": "/jobs/01980000-0000-7000-8000-000000000002",
    "media": "/media",
    "medium": "/media/harvest",
    "catalog": "/catalog",
    "search": "/catalog?q=store",
    "item": f"/catalog/{ROOT}",
    "queues": "/queues",
    "topic": "/queues/topics/catalog.changes",
    "letters": "/queues/dead-letters",
    "letter": "/queues/dead-letters/5b0f2c66-1111-4222-8333-444455556666",
    "alerts": "/alerts",
    "kv": "/kv",
    "entry": "/kv/notes/github",
    "quarantine": "/quarantine",
    "refused": f"/quarantine/{WIKI_GROUP}",
    "audit": "/audit",
    "you": "/you",
}
# the same pages in another state: one look is enough
STATES = {"halted": "/endpoints/warehouse", "waiting": "/runs/tracker-0", "nothing": "/endpoints?q=nothing"}
LAPTOP, PHONE = (1280, 860), (390, 844)
SIZES = {"laptop": LAPTOP, "phone": PHONE}
# in the other scheme the same things stand in the same places: only what can be read may differ
ALL, CONTRAST = {"resultTypes": ["violations"]}, {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
SCHEMES: dict[Literal["light", "dark"], dict[str, Any]] = {"light": ALL, "dark": CONTRAST}


async def opened(browser: Browser, size: tuple[int, int], scheme: str, **more: object) -> BrowserContext:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,  # type: ignore[arg-type]
        **more,  # type: ignore[arg-type]
    )
    context.set_default_timeout(PATIENCE)
    return context


async def by_keys(page: Page, *keys: str, title: str) -> None:
    """Press one key after the other; the page that they lead to is there, and listens to keys itself.

    The browser's clock stands still from here on: that one key follows the other in time is not the machine's to decide.
    """
    await page.clock.set_fixed_time(datetime.now(UTC))
    for key in keys:
        await page.keyboard.press(key)
    await expect(page).to_have_title(title)
    await page.wait_for_load_state()


# unfolded, and not renewed while it is looked at, as when somebody goes away from it
_STILL = """() => {
    dispatchEvent(new Event("pagehide"));
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
}"""


def _left(request: Request) -> bool:
    """Whether it was given up because somebody went on to another page."""
    return request.failure == "net::ERR_ABORTED"


def listen(page: Page, heard: list[str] | None = None) -> list[str]:
    """What the browser complains of from here on."""
    heard = [] if heard is None else heard
    page.on("console", lambda message: heard.append(f"{page.url} {message.type}: {message.text}"))
    page.on("pageerror", lambda error: heard.append(f"{page.url} {error}"))
    page.on("requestfailed", lambda request: _left(request) or heard.append(f"{request.url} {request.failure}"))
    return heard


async def test_every_page_can_be_seen_by_everybody(
    full: Console, browser: Browser, pytestconfig: pytest.Config
) -> None:
    heard: list[str] = []
    flaws: list[str] = []
    if pytestconfig.getoption("--screenshots"):
        IMAGES.mkdir(exist_ok=True)
    for device, size in SIZES.items():
        context = await opened(browser, size, "light")
        page = await context.new_page()
        listen(page, heard)
        link = await full.link(anywhere=True)
        # the way in is looked at from outside, and the link leads on to the overview
        seen = {"login": "/login"} | PAGES | {"overview": link.removeprefix(full.url)}
        for name, path in (seen | STATES if device == "laptop" else seen).items():
            await page.goto(full.url + path)
            await page.evaluate(_STILL)
            for scheme, rules in SCHEMES.items():
                await page.emulate_media(color_scheme=scheme)
                flaws += [f"{name} {device} {scheme}: {flaw}" for flaw in await _flaws(page, rules)]
            if pytestconfig.getoption("--screenshots"):
                await _picture(page, name, device)
        await context.close()

    assert (heard, flaws) == ([], [])


async def test_the_looking_would_see_a_flaw(full: Console, browser: Browser) -> None:
    context = await opened(browser, PHONE, "light")
    page = await context.new_page()
    heard = listen(page)
    await page.goto(f"{full.url}/login")
    await page.evaluate("""() => {
        document.querySelector("h1").insertAdjacentHTML("afterend", '<img src="data:," onerror="alert(1)"><input>');
        document.querySelector(".lead").id = "pale";
        document.adoptedStyleSheets.push(new CSSStyleSheet());
        document.adoptedStyleSheets[0].insertRule("#pale { color: #ddd; width: 900px; }");
    }""")

    found = await _flaws(page, ALL)

    assert {flaw.partition(" ")[0] for flaw in found} >= {"image-alt", "label", "color-contrast", "wide"}
    assert any("Content Security Policy" in line for line in heard)


async def _picture(page: Page, name: str, device: str) -> None:
    """For the docs: light on the laptop, dark on the phone, as it is when nobody has unfolded anything."""
    await page.emulate_media(color_scheme="light" if device == "laptop" else "dark")
    await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
    await page.screenshot(path=IMAGES / (f"{name}.png" if device == "laptop" else f"{name}-phone.png"))


async def _flaws(page: Page, rules: dict[str, Any]) -> list[str]:
    wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = await Axe().run(page, options=rules)
    said = [f"{one['id']} {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found.response["violations"]]
    return said + ([f"wide by {wide} px"] if wide > 0 else [])
