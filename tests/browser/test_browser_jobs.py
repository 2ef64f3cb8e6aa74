"""Jobs and media jobs in a browser: a clip is cut before one's eyes, and played; and every control of both sections."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.test_browser_pages import LAPTOP, PHONE, listen, opened
from tests.integration.clips.studio import Studio
from tests.integration.console.pages.fields_jobs import FAILED, RUNNING, film
from tests.integration.console.pages.visitors import Console, console

from windrow.clips.clip import Clips
from windrow.clips.cutter import Cutter
from windrow.clips.executable import find
from windrow.clips.ffmpeg import Ffmpeg
from windrow.clips.limits import ClipLimits
from windrow.clips.sources import Sources
from windrow.http import HttpClient, HttpPolicy
from windrow.postgres import Database

pytestmark = pytest.mark.timeout(600)

# plays a moment of it, then goes to another place, as people do
_PLAYED = """async (video) => {
    if (!video.readyState) await new Promise((done) => video.addEventListener("loadedmetadata", done, { once: true }));
    video.muted = true;
    await video.play();
    await new Promise((done) => video.addEventListener("timeupdate", () => video.currentTime > 0 && done()));
    video.pause();
    const sought = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
    video.currentTime = 1;
    await sought;
    return { seconds: video.duration, width: video.videoWidth, height: video.videoHeight };
}"""


@asynccontextmanager
async def studio(site: Console, scratch: Path) -> AsyncIterator[Studio]:
    """A worker that cuts clips out of the console's own objects."""
    limits = ClipLimits()
    async with HttpClient(HttpPolicy(source="clip")) as http:
        sources = Sources(site.objects, http, lambda _, path: Path(path), limits)
        yield Studio(site.database, Clips(site.objects, sources, Cutter(Ffmpeg(find(), limits)), limits), scratch)


async def entered(site: Console, browser: Browser, size: tuple[int, int], path: str) -> tuple[Page, list[str]]:
    page = await (await opened(browser, size, "light")).new_page()
    heard = listen(page)
    await page.goto(await site.link())
    await page.goto(site.url + path)
    return page, heard


async def test_a_clip_is_cut_and_played_on_the_page_of_its_job(
    database: Database, tmp_path: Path, browser: Browser
) -> None:
    async with (
        console(database, tmp_path / "objects", every=0.2) as site,
        studio(site, tmp_path / "scratch") as cutting,
    ):
        await site.objects.for_tenant("acme").put("films/a.mp4", film())
        job_id = await cutting.ask("object:films/a.mp4", 0.5, 2.5)
        page, heard = await entered(site, browser, PHONE, f"/jobs/{job_id}")
        answers: list[int] = []
        page.on("response", lambda answer: answers.append(answer.status) if "artifact" in answer.url else None)

        await expect(page.get_by_text("It waits for a worker.")).to_be_visible()
        await cutting.work()
        # it can be seen before the job has ended, and is drawn anew when it has
        await expect(page.get_by_text("its last attempt took")).to_be_visible()
        video = page.locator("video")
        await expect(video).to_be_visible()
        seen: dict[str, Any] = await video.evaluate(_PLAYED)

        assert (round(seen["seconds"]), seen["width"], seen["height"]) == (2, 320, 180)
        assert set(answers) == {206}
        async with page.expect_download() as saving:
            await page.get_by_role("link", name="Save it").click()
        saved = await (await saving.value).path()
        assert saved.stat().st_size == (await cutting.job(job_id)).artifact["size"]  # type: ignore[index]
        assert heard == []


async def test_every_control_of_jobs_and_media_asks_once_and_says_what_it_did(full: Console, browser: Browser) -> None:
    page, heard = await entered(full, browser, LAPTOP, f"/jobs/{RUNNING}")
    asked, said = page.get_by_role("dialog"), page.get_by_role("status").first

    async def does(summary: str, button: str, words: str, why: str = "<b>a test</b>") -> None:
        await page.wait_for_load_state()  # with the script that asks once
        await page.get_by_text(summary).click()
        await page.get_by_label("Why").fill(why)
        await page.get_by_role("button", name=button, exact=True).click()
        await asked.get_by_role("button", name="Go on").click()
        await expect(said).to_contain_text(words)
        await expect(page.get_by_text("<b>a test</b>")).to_be_visible()

    await does("Cancel …", "Cancel the job", "Its worker is asked to stop.")
    await page.goto(f"{full.url}/jobs/{FAILED}")
    await does("Try again …", "Try again", "Queued again.")

    await page.goto(f"{full.url}/media")
    await page.get_by_text("Look up a medium …").click()
    await page.get_by_label("Address").fill("object:films/new.mp4")
    await page.get_by_label("Clip from").fill("1:00")
    await page.get_by_label("to", exact=True).fill("0:30")
    await page.get_by_role("button", name="Look it up").click()
    await expect(page.get_by_role("alert")).to_contain_text("has no length")
    heard[:] = [line for line in heard if "status of 400" not in line]  # to a browser, a refusal is one too
    await page.get_by_label("to", exact=True).fill("1:30")
    await page.get_by_role("button", name="Look it up").click()
    await expect(said).to_contain_text("Asked for.")
    await does("Cancel …", "Cancel the media job", "Cancelled.")
    await does("Begin anew …", "Begin anew", "Queued again, from the beginning.", "again")

    await page.goto(f"{full.url}/jobs")
    await page.get_by_text("Cut a clip …").click()
    for label, text in (("Source", "object:films/new.mp4"), ("From", "1:00"), ("To", "1:30")):
        await page.get_by_label(label, exact=True).fill(text)
    await page.get_by_role("button", name="Cut it").click()
    await expect(said).to_contain_text("Asked for.")

    await page.goto(f"{full.url}/jobs")
    await page.get_by_role("link", name="digest").click()
    await expect(page.get_by_role("row")).to_have_count(5)
    await page.get_by_role("link", name="cancelled").click()
    await expect(page.get_by_role("row")).to_have_count(5)
    assert heard == []
