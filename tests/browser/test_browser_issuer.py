"""Logging in at an issuer with a real browser, whose rules for cookies, redirects and policies are its own.

The console is called by another name than the issuer, so that to the browser they are two sites.
"""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_browser_pages import ALL, LAPTOP, PHONE, _flaws, listen, opened
from tests.conftest import Said
from tests.fakes.oidc_issuer import SECRET, OidcIssuer
from tests.integration.console.realm import realm

from windrow.postgres import Database
from windrow.stack.ports import choose


@pytest.mark.timeout(600)
async def test_somebody_logs_in_at_the_issuer_and_is_told_when_it_does_not_let_them(
    database: Database, tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    monkeypatch.setenv("OIDC_SECRET", SECRET)
    port = choose({"http": None}, {})["http"]
    with OidcIssuer() as issuer:
        issuer.answers = "access_denied"
        name = f"http://localhost:{port}"
        async with realm(database, tmp_path, issuer, http_port=port, http_url=name, oidc_name="Acme ID") as acme:
            context = await opened(browser, PHONE, "light")
            page = await context.new_page()
            heard = listen(page)
            await page.goto(f"{acme.url}/runs?outcome=failed")
            flaws = await _flaws(page, ALL)
            await page.get_by_role("link", name="Log in with Acme ID").click()
            await expect(page.get_by_role("alert")).to_contain_text("did not agree")
            flaws += await _flaws(page, ALL)
            refused_at = page.url
            issuer.answers = None
            await page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
            await page.get_by_role("link", name="Log in with Acme ID").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
            arrived, entries = page.url, await page.evaluate("history.length")
            cookies = {cookie["name"]: cookie for cookie in await context.cookies()}
            await page.goto(f"{acme.url}/you")
            flaws += await _flaws(page, ALL)
            await page.get_by_role("button", name="Log out at Acme ID too").click()
            await expect(page.get_by_text("You are not logged in")).to_be_visible()
            left_at, kept = page.url, await context.cookies()
            await context.close()

    assert refused_at == f"{name}/login?refused=denied&next=%2Fruns%3Foutcome%3Dfailed"
    assert (arrived, entries) == (f"{name}/runs?outcome=failed", 4)
    assert set(cookies) == {f"windrow-{port}", f"windrow-parting-{port}"}
    assert (cookies[f"windrow-{port}"]["httpOnly"], cookies[f"windrow-{port}"]["sameSite"]) == (True, "Lax")
    assert (left_at, kept, len(issuer.left)) == (f"{name}/login", [], 1)
    assert flaws == []
    # the browser itself says that a page was a 401, that of a login that came to nothing, and what it cleared
    assert [line for line in heard if "401" not in line and "Clear-Site-Data" not in line] == []
    assert not any(code in line for code in issuer.given for line in said.raw)
