"""The pages of media jobs: what is known of each medium, where its job stands, and what can be done about it."""

import json

import pytest
from markupsafe import escape
from tests.integration.console.pages.fields import HOSTILE, connect, stays_text
from tests.integration.console.pages.fields_jobs import DONE, RUNNING, SNAPSHOT, medium, plough_jobs, plough_media
from tests.integration.console.pages.visitors import Console

from windrow.contracts.scope import Scope
from windrow.postgres import audit
from windrow.web.principal import Role

STAGES = {
    "Queued": "waiting",
    "MetadataReady": "mowing",
    "Processing": "sowing",
    "Completed": "harvest",
    "Failed": "raking",
    "Cancelled": "baling",
}


@pytest.fixture
def farm(site: Console) -> Console:
    """Media jobs at every stage."""
    with connect(site.database.url) as connection:
        plough_jobs(connection)
        plough_media(connection)
    return site


async def test_media_jobs_are_listed_by_stage(farm: Console) -> None:
    visitor = await farm.visitor(Role.READER)

    everything = await visitor.see("/media")
    shown = {stage: await visitor.see(f"/media?stage={stage}") for stage in STAGES}

    assert all(f'href="/media/{name}"' in everything for name in STAGES.values())
    for stage, name in STAGES.items():
        assert [other for other in STAGES.values() if f'href="/media/{other}"' in shown[stage]] == [name]
    assert "NOT_FOUND: the video is private, or was removed" in shown["Failed"]
    assert "windrow media submit" in await (await farm.visitor(scope=Scope("acme", "empty"))).see("/media")


async def test_a_long_list_of_media_has_pages(site: Console) -> None:
    with connect(site.database.url) as connection:
        for number in range(60):
            medium(connection, f"film-{number}")
    visitor = await site.visitor()

    first = await visitor.see("/media?stage=Queued")
    onward = first.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
    second = await visitor.see(onward)

    assert [page.count('<th scope="row">') for page in (first, second)] == [50, 10]
    for place in ("nowhere", "2026-11-16T06:00:00Z a/b", "2026-11-16T06:00:00 a", "%00"):
        assert (await visitor.see(f"/media?after={place}&stage=%00")).count('<th scope="row">') == 50


async def test_a_page_tells_what_is_known_of_a_medium_and_plays_its_clip(farm: Console) -> None:
    visitor = await farm.visitor(Role.READER)

    harvest, sowing, raking, waiting = [
        await visitor.see(f"/media/{name}") for name in ("harvest", "sowing", "raking", "waiting")
    ]

    for words in ("The harvest of a year", "5:00", "Anna (farmer)", "hay, windrow, harvest", "640 x 360 h264"):
        assert words in harvest
    assert f'<video class="player" controls preload="metadata" playsinline aria-label="The clip" src="/jobs/{DONE}' in (
        harvest
    )
    assert [harvest.count(f"<strong>{stage}</strong>") for stage in ("queued", "metadata ready", "completed")] == [
        1
    ] * 3
    assert (f'href="/jobs/{RUNNING}"' in sowing, "<video" in sowing, "data-live" in sowing) == (True, False, True)
    assert "ask whose it is. Mend the cause, then have it begun anew." in raking
    assert "it is tried again by itself" in waiting


async def test_nothing_is_loaded_from_elsewhere_and_links_lead_to_the_web_alone(site: Console) -> None:
    odd = SNAPSHOT | {
        "thumbnailUrl": "javascript:alert(1)",
        "author": {"name": HOSTILE, "url": "data:text/html,<script>alert(1)</script>"},
    }
    said = dict.fromkeys(("title", "description", "language", "live", "provider"), HOSTILE)
    lists = {"keywords": [HOSTILE], "categories": [HOSTILE]}
    hints = {"speakerHints": [{"name": HOSTILE, "role": HOSTILE, "source": HOSTILE}]}
    wrong = {"code": HOSTILE, "message": HOSTILE, "hint": f"`{HOSTILE}`"}
    with connect(site.database.url) as connection:
        medium(
            connection,
            "odd",
            {"stage": "MetadataReady", "snapshot": json.dumps(odd | said | lists | hints)},
            {"stage": "Failed", "error": json.dumps(wrong)},
            media=json.dumps({"type": HOSTILE, "url": f"https://films.example/{HOSTILE}"}),
            request_id=HOSTILE,
        )
        medium(connection, "plain", {"stage": "MetadataReady", "snapshot": json.dumps(SNAPSHOT)})
    visitor = await site.visitor()

    for path in ("/media", "/media/odd"):
        shown = await visitor.see(path)
        assert stays_text(shown), path
        assert str(escape(HOSTILE)) in shown
    assert 'href="javascript:' not in shown
    assert 'href="data:' not in shown
    plain = await visitor.see("/media/plain")
    assert '<a href="https://films.example/anna.jpg" rel="noreferrer noopener">' in plain
    assert "src=" not in plain.partition("<main")[2]


async def test_a_media_job_is_for_those_of_its_project(farm: Console) -> None:
    for scope in (Scope("acme", "elsewhere"), Scope("other", "main")):
        stranger = await farm.visitor(scope=scope)
        assert (await stranger.client.get("/media/harvest")).status_code == 404
        assert (await stranger.send("/media/waiting/cancel")).status_code == 404
        assert "harvest" not in await stranger.see("/media")
    visitor = await farm.visitor()
    for nothing in ("/media/nothing", "/media/%2e%2e", "/media/%00"):
        assert (await visitor.client.get(nothing)).status_code == 404


async def test_a_writer_asks_for_a_medium_cancels_it_and_has_it_begun_anew(farm: Console) -> None:
    visitor = await farm.visitor(Role.WRITER)

    film = {"url": "https://films.example/a.mp4", "start": "1:02.5", "end": "68", "ticket": "f" * 32}
    asked, again = [await visitor.send("/media", **film) for _ in range(2)]
    assert asked.headers["location"] == again.headers["location"]
    page = asked.headers["location"].partition("?")[0]
    shown = await visitor.see(asked.headers["location"])
    assert (asked.status_code, "Asked for." in shown, "62.5 s to 68 s" in shown) == (303, True, True)
    for act, did, words in (("cancel", "cancel", "Cancelled."), ("retry", "retry", "Queued again")):
        answered = await visitor.send(f"{page}/{act}", reason="a test")
        assert answered.headers["location"] == f"{page}?did={did}"
        assert words in await visitor.see(answered.headers["location"])
    asked_to_stop = await visitor.send("/media/sowing/cancel")
    assert asked_to_stop.headers["location"] == "/media/sowing?did=stopping"
    async with farm.database.tenant("acme") as tx:
        entries = await audit.history(tx, subject=page.removeprefix("/"))
    assert [(entry.actor, entry.action, entry.reason) for entry in reversed(entries)] == [
        ("anna", "media.cancel", "a test"),
        ("anna", "media.retry", "a test"),
    ]


async def test_what_is_refused_is_said_with_what_was_written(farm: Console) -> None:
    visitor = await farm.visitor(Role.WRITER)

    for fields, words in (
        ({"url": "gopher://films.example"}, "names no medium"),
        ({"url": "https://anna:secret@films.example"}, "holds a name or a password"),
        ({"url": "object:a.mp4", "start": "soon", "end": "later"}, "a time is written as"),
        ({"url": "object:a.mp4", "start": "5"}, "a time is written as"),
        ({"url": "object:a.mp4", "start": "5", "end": "4"}, "has no length"),
    ):
        answered = await visitor.send("/media", **fields)
        assert (400 <= answered.status_code < 500, words in answered.text) == (True, True), answered.text
        assert f'value="{fields["url"]}"' in answered.text
    assert (await visitor.send("/media/harvest/retry")).status_code == 409
    reader = await farm.visitor(Role.READER, subject="rita")
    assert (await reader.send("/media", url="object:a.mp4")).status_code == 403


async def test_a_page_about_a_medium_follows_its_job(farm: Console) -> None:
    visitor = await farm.visitor()
    with connect(farm.database.url) as connection:
        connection.execute("UPDATE jobs SET progress = 77, started_at = now() WHERE id = %s", (RUNNING,))

    async with visitor.client.stream("GET", "/live/media/sowing") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                assert 'value=\\"77.0\\"' in line
                break
