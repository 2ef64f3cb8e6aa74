"""The pages of jobs: where they stand, what befell them, what they made, and what can be done about them."""

import json
from datetime import timedelta
from uuid import UUID

import pytest
from markupsafe import escape
from tests.integration.console.pages.fields import HOSTILE, connect, stays_text
from tests.integration.console.pages.fields_jobs import DONE, FAILED, RUNNING, event, job, plough_jobs, store
from tests.integration.console.pages.visitors import Console

from windrow.contracts.scope import Scope
from windrow.postgres import Database, audit
from windrow.web.principal import Role

CLIP = bytes(range(256)) * 8192
PASSWORD = "hunter2-of-the-barn"
# what every answer has for itself
FRESH = ("date", "x-request-id", "x-correlation-id")


async def trail(database: Database, subject: str) -> list[tuple[str, str, str | None]]:
    async with database.tenant("acme") as tx:
        entries = await audit.history(tx, subject=subject)
    return [(entry.actor, entry.action, entry.reason) for entry in reversed(entries)]


@pytest.mark.req("RR-8")
async def test_jobs_are_listed_by_status_and_kind_with_how_far_each_is(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    visitor = await site.visitor(Role.READER)

    everything, failed, digests = [
        await visitor.see(path) for path in ("/jobs", "/jobs?status=failed", "/jobs?kind=digest")
    ]

    assert all(str(each) in everything for each in (RUNNING, DONE, FAILED))
    assert '<progress max="100" value="42.5"' in everything
    assert "barn-1:4711" in everything
    assert 'aria-label="Jobs that ended in the last 24 hours: 1 done, 4 cancelled, 1 failed."' in everything
    assert (str(FAILED) in failed, str(DONE) in failed, "has not been heard of" in failed) == (True, False, True)
    assert (digests.count('<th scope="row">'), str(DONE) in digests) == (4, False)
    assert "No such job" in await visitor.see("/jobs?status=scheduled")
    assert "windrow jobs submit" in await (await site.visitor(scope=Scope("acme", "empty"))).see("/jobs")


async def test_a_long_list_has_pages_and_an_end_to_counting(site: Console) -> None:
    with connect(site.database.url) as connection:
        connection.execute("""INSERT INTO jobs (tenant_id, project_id, kind, payload)
                              SELECT current_tenant(), 'main', 'clip', '{}' FROM generate_series(1, 1100)""")
    visitor = await site.visitor()

    first = await visitor.see("/jobs?status=queued")
    onward = first.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
    second = await visitor.see(onward)

    assert "1\u202f000+" in first
    assert first.count('<th scope="row">') == second.count('<th scope="row">') == 50
    assert not {part[:36] for part in first.split("/jobs/")[1:]} & {part[:36] for part in second.split("/jobs/")[1:]}
    assert "data-live" not in second
    for place in ("nowhere", "%00", DONE):
        await visitor.see(f"/jobs?before={place}&status=%00&kind=%00")


async def test_a_jobs_page_tells_each_attempt_why_it_ended_and_what_to_do(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    visitor = await site.visitor(Role.READER)

    failed, running = await visitor.see(f"/jobs/{FAILED}"), await visitor.see(f"/jobs/{RUNNING}")

    assert "RETRIES_EXHAUSTED: barn-1:4711 has not been heard of" in failed
    assert "Its workers died, or could not reach the database" in failed
    assert [failed.count(f"attempt {number}</span>") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    assert failed.count("its worker was not heard of any more <code>LEASE_LOST</code>") == 2
    assert ("data-live" in running, "data-live" in failed) == (True, False)
    assert "percent" not in running
    assert "<form" not in failed.partition("<main")[2].partition("</main>")[0]


async def test_whatever_a_job_says_stays_text_and_no_secret_is_shown(site: Console) -> None:
    with connect(site.database.url) as connection:
        source = f"https://anna:{PASSWORD}@films.example/{'x' * 400}{HOSTILE}"
        said = {"error": HOSTILE, "error_class": "Fatal", "error_code": HOSTILE, "dedupe_key": HOSTILE}
        payload = {"source": source, "api_key": PASSWORD, HOSTILE: HOSTILE}
        job(connection, FAILED, "failed", kind=HOSTILE, payload=json.dumps(payload), **said)
        event(connection, FAILED, HOSTILE, timedelta(0), 1, details=json.dumps({HOSTILE: HOSTILE}), worker=HOSTILE)
        event(connection, FAILED, "processing", timedelta(0), 1, worker=HOSTILE)
        artifact = {"key": f"a/{HOSTILE}", "size": 1, "sha256": HOSTILE, "details": {HOSTILE: HOSTILE}}
        job(connection, DONE, "done", artifact=json.dumps(artifact))
    visitor = await site.visitor()

    for path in ("/jobs", f"/jobs?kind={HOSTILE}", f"/jobs/{FAILED}", f"/jobs/{DONE}"):
        shown = await visitor.see(path)
        assert stays_text(shown), path
        assert str(escape("<script>alert(1)</script>")) in shown, path
        assert PASSWORD not in shown, path
    assert "[redacted]" in await visitor.see(f"/jobs/{FAILED}")


async def test_what_a_job_made_is_given_whole_or_in_part(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    client = (await site.visitor(Role.READER)).client
    path = await store(site, CLIP)

    whole = await client.get(path)
    assert (whole.status_code, whole.content == CLIP) == (200, True)
    assert (whole.headers["content-type"], whole.headers["accept-ranges"]) == ("video/mp4", "bytes")
    for said, first, last in (("0-", 0, len(CLIP) - 1), ("1500000-1500099", 1_500_000, 1_500_099), ("-7", -7, -1)):
        part = await client.get(path, headers={"range": f"bytes={said}"})
        assert (part.status_code, part.content) == (206, CLIP[first:][: last - first + 1]), said
        assert part.headers["content-range"].endswith(f"/{len(CLIP)}")
    beyond = await client.get(path, headers={"range": f"bytes={len(CLIP)}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(CLIP)}")
    assert (await client.get(path, headers={"range": "bytes=5-", "if-range": '"other"'})).status_code == 200
    head = await client.head(path)
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(CLIP)), b"")


async def test_who_has_the_film_is_told_so_and_the_copy_stays_good(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    client = (await site.visitor(Role.READER)).client
    path = await store(site, CLIP)

    whole = await client.get(path)
    etag = whole.headers["etag"]
    for had in (etag, f"W/{etag}", f'"another", {etag}'):
        # a player that goes on in the middle asks so as well, and gets no part that it has
        same = await client.get(path, headers={"if-none-match": had, "range": "bytes=5-"})
        assert (same.status_code, same.content) == (304, b""), had
        # a cache keeps the copy under the headers of this answer, where it has them: none may be another
        told = {name: value for name, value in same.headers.items() if name not in FRESH}
        assert told.items() <= whole.headers.items(), had
        assert (told["etag"], told["cache-control"]) == (etag, "private, no-cache"), had
    other = await client.get(path, headers={"if-none-match": '"another"'})
    assert (other.status_code, other.content == CLIP) == (200, True)


async def test_what_is_no_film_is_saved_and_never_shown(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    client = (await site.visitor()).client

    page = await client.get(await store(site, b"<script>alert(1)</script>", name="page.html"))

    assert (page.headers["content-type"], page.headers["content-disposition"]) == (
        "application/octet-stream",
        "attachment",
    )
    assert "sandbox" in page.headers["content-security-policy"]
    assert "<video" not in (await client.get(f"/jobs/{DONE}")).text


async def test_a_job_and_what_it_made_are_for_those_of_its_project(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    path = await store(site, CLIP)

    for scope in (Scope("acme", "elsewhere"), Scope("other", "main")):
        stranger = await site.visitor(scope=scope)
        for refused in (path, f"/jobs/{DONE}"):
            assert (await stranger.client.get(refused)).status_code == 404
        assert (await stranger.send(f"/jobs/{RUNNING}/cancel")).status_code == 404
        assert str(DONE) not in await stranger.see("/jobs")
    assert (await site.stranger().get(path)).headers["location"].startswith("/login")
    visitor = await site.visitor()
    for nothing in (f"/jobs/{RUNNING}/artifact", "/jobs/nothing", "/jobs/nothing/artifact", "/jobs/%00"):
        assert (await visitor.client.get(nothing)).status_code == 404, nothing


async def test_an_object_that_is_gone_or_another_is_not_given(site: Console) -> None:
    with connect(site.database.url) as connection:
        plough_jobs(connection)
    client, path = (await site.visitor()).client, await store(site, CLIP)
    objects = site.objects.for_tenant("acme")
    key = f"results/{DONE}/attempts/1/clip.mp4"

    await objects.put(key, CLIP[:100])
    assert (await client.get(path)).status_code == 500
    await objects.delete(key)
    assert (await client.get(path)).status_code == 404


async def test_a_writer_cancels_a_job_and_has_another_tried_again(site: Console) -> None:
    waiting = UUID(int=DONE.int + 50)
    with connect(site.database.url) as connection:
        plough_jobs(connection)
        job(connection, waiting, "queued")
    visitor = await site.visitor(Role.WRITER)

    for job_id, act, did, words in (
        (waiting, "cancel", "cancel", "Cancelled."),
        (RUNNING, "cancel", "stopping", "Its worker is asked to stop."),
        (FAILED, "retry", "retry", "Queued again."),
    ):
        answered = await visitor.send(f"/jobs/{job_id}/{act}", reason="a test")
        assert (answered.status_code, answered.headers["location"]) == (303, f"/jobs/{job_id}?did={did}")
        assert words in await visitor.see(answered.headers["location"])
        assert await trail(site.database, f"job/{job_id}") == [("anna", f"job.{act}", "a test")]
    refused = await visitor.send(f"/jobs/{DONE}/retry", reason="again")
    assert (refused.status_code, "only a failed or cancelled job is tried again" in refused.text) == (409, True)
    too_long = await visitor.send(f"/jobs/{FAILED}/cancel", reason="x" * 1001)
    assert (too_long.status_code, "the reason is too long" in too_long.text) == (422, True)
    reader = await site.visitor(Role.READER, subject="rita")
    assert (await reader.send(f"/jobs/{FAILED}/cancel")).status_code == 403


async def test_a_clip_is_asked_for_once_however_often_the_form_is_sent(site: Console) -> None:
    visitor = await site.visitor(Role.WRITER)
    wanted = {"source": "object:films/a.mp4", "start": "1:02.5", "end": "68", "ticket": "f" * 32}

    asked, again = [await visitor.send("/jobs", **wanted) for _ in range(2)]
    shown = await visitor.see(asked.headers["location"])
    assert (asked.headers["location"], "62.5" in shown, "Asked for." in shown) == (
        again.headers["location"],
        True,
        True,
    )
    for wrong, words in (
        ({"source": "gopher:a"}, "a source is object:KEY"),
        ({"start": "soon"}, "a time is written as"),
        ({"end": "1"}, "is not after the start"),
    ):
        answered = await visitor.send("/jobs", **(wanted | wrong))
        assert (answered.status_code, words in answered.text) == (400, True), words
        assert 'value="object:films/a.mp4"' in answered.text or "source" in wrong
    assert (await visitor.see("/jobs")).count('<th scope="row">') == 1
