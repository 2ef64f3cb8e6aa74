"""Queues: what is stuck and why, who may do what about it, and that it is done with its line in the trail."""

import uuid
from datetime import timedelta

import pytest
from tests.integration.console.pages.fields import HOSTILE, connect, endpoint, stays_text
from tests.integration.console.pages.fields_queues import LETTER, dead, lane, message, plough_queues, strand, topic
from tests.integration.console.pages.visitors import Console, Visitor

from windrow.postgres import Database, audit
from windrow.web.principal import Role


async def trail(database: Database, subject: str) -> list[tuple[str, str, str | None]]:
    async with database.tenant("acme") as tx:
        entries = await audit.history(tx, subject=subject)
    return [(entry.actor, entry.action, entry.reason) for entry in reversed(entries)]


def ploughed(site: Console) -> None:
    with connect(site.database.url) as connection:
        endpoint(connection, "tracker")
        plough_queues(connection)


def letters(site: Console) -> int:
    with connect(site.database.url) as connection:
        row = connection.execute("SELECT count(*) FROM dead_letters").fetchone()
    assert row
    return int(row[0])


async def test_the_queues_tell_what_is_stuck_what_waits_and_since_when(site: Console) -> None:
    ploughed(site)
    reader = await site.visitor(Role.READER)

    shown = await reader.see("/queues")

    assert "1 lane has stopped on a batch" in shown
    assert "value too long for the index of titles" in shown
    assert 'aria-label="Lanes: 1 stopped, 1 with batches waiting, 2 with none."' in shown
    assert 'aria-label="Dead letters in the last 24 hours: 5 letters."' in shown
    assert "the warehouse answered 503" in shown
    assert "on their way, the oldest" in shown
    assert ">31 min ago</time>" in shown
    # what a reader may not do is not offered
    assert 'method="post"' not in shown
    assert "/queues/dead-letters" not in shown


async def test_with_nothing_in_it_a_page_says_what_comes_next(site: Console) -> None:
    visitor = await site.visitor()

    for path, words in {
        "/queues": "Nothing is queued yet",
        "/queues/dead-letters": "No dead letters: everything was delivered",
        "/queues/dead-letters?topic=x": "No such dead letter",
        "/alerts": "windrow notify test pager",
        "/alerts?channel=ops": "No such notice",
        "/kv": "windrow kv put",
    }.items():
        assert words in await visitor.see(path)


async def test_nothing_is_counted_beyond_what_a_page_can_wait_for(site: Console) -> None:
    with connect(site.database.url) as connection:
        endpoint(connection, "github")
        lane(connection, "github", pending=101)
        topic(connection, "many", "many.pull")
        for number in range(1, 103):
            message(connection, "many", number, {}, timedelta(minutes=1), key=f"k{number}")
            strand(connection, "many.pull", "many", 0, key=f"k{number}")
    visitor = await site.visitor()

    shown = await visitor.see("/queues")

    assert shown.replace("\n", "").count(">100+<") == 2


@pytest.mark.parametrize(
    ("act", "fields", "reason"), [("retry", {}, None), ("discard", {"reason": "a broken export"}, "a broken export")]
)
async def test_a_writer_lets_a_stopped_lane_go_on(
    site: Console, act: str, fields: dict[str, str], reason: str | None
) -> None:
    ploughed(site)
    writer = await site.visitor(Role.WRITER)

    answered = await writer.send(f"/queues/lanes/tracker/{act}", lane="live", **fields)
    again = await writer.send(f"/queues/lanes/tracker/{act}", lane="live", **fields)

    assert (answered.status_code, answered.headers["location"]) == (303, f"/queues?did={act}")
    assert 'role="status"' in await writer.see(f"/queues?did={act}")
    assert (again.status_code, "is not stopped" in again.text) == (404, True)
    assert await trail(site.database, "lane/tracker/live") == [("anna", f"outbox.{act}", reason)]
    with connect(site.database.url) as connection:
        found = connection.execute("SELECT status FROM harvest_outbox WHERE endpoint_id = 'tracker' AND seq = 901")
        assert found.fetchone() == ("pending" if act == "retry" else "discarded",)


async def test_what_is_lost_is_not_lost_without_a_reason(site: Console) -> None:
    ploughed(site)
    admin = await site.visitor(Role.ADMIN)

    for path, fields, status in (
        ("/queues/lanes/tracker/discard", {"lane": "live"}, 422),
        ("/queues/lanes/tracker/retry", {"lane": "no such"}, 400),
        ("/queues/lanes/..%2Fx/retry", {}, 404),
        (f"/queues/dead-letters/{LETTER}/discard", {"subscription": "changes.warehouse"}, 422),
        ("/queues/dead-letters/discard", {"seen": "2999-01-01T00:00:00+00:00"}, 422),
        ("/queues/dead-letters/discard", {"reason": "x", "seen": "soon"}, 422),
        ("/queues/dead-letters/replay", {}, 422),
        ("/queues/dead-letters/nothing/replay", {}, 404),
    ):
        answered = await admin.send(path, **fields)
        assert answered.status_code == status, (path, answered.status_code)
    assert letters(site) == 5
    refused = await admin.send("/queues/lanes/tracker/discard", lane="live", reason="x" * 1001)
    assert ("x" * 1001 in refused.text, '<details class="act" open>' in refused.text) == (True, True)


async def test_only_admins_open_dead_letters_and_who_may_not_is_noted(site: Console) -> None:
    ploughed(site)
    writer, admin = await site.visitor(Role.WRITER, subject="walter"), await site.visitor(Role.ADMIN)

    for path in ("/queues/dead-letters", f"/queues/dead-letters/{LETTER}"):
        assert (await writer.client.get(path)).status_code == 403
    assert (await writer.send("/queues/dead-letters/replay", seen="x")).status_code == 403
    async with site.database.tenant("acme") as tx:
        noted = [line.actor for line in await audit.history(tx) if "refus" in line.action]
    assert noted == ["walter"] * 3

    shown = await admin.see(f"/queues/dead-letters/{LETTER}")
    assert ("github/issue-1" in shown, "[redacted]" in shown, "never shown" in shown) == (True, True, False)


@pytest.mark.parametrize("act", ["replay", "discard"])
async def test_an_admin_puts_back_or_gives_up_one_letter_and_those_of_a_filter(site: Console, act: str) -> None:
    ploughed(site)
    admin = await site.visitor()

    one = await admin.send(f"/queues/dead-letters/{LETTER}/{act}", subscription="changes.warehouse", reason="mended")
    assert one.headers["location"] == f"/queues/dead-letters?did={act}"
    assert letters(site) == 4

    seen = await _seen(admin)
    with connect(site.database.url) as connection:
        late = message(connection, "jobs", 9, {}, timedelta(0))
        dead(connection, "changes.warehouse", "jobs", late, "died after the page was drawn", timedelta(seconds=-5))
    path = f"/queues/dead-letters/{act}?subscription=changes.warehouse"
    several = await admin.send(path, seen=seen, reason="mended")

    assert several.headers["location"] == f"/queues/dead-letters?subscription=changes.warehouse&did={act}"
    # what nobody has seen, and what the filter does not show, is left alone
    assert letters(site) == 2
    again = await admin.send(path, seen=seen, reason="mended")
    assert again.headers["location"].endswith("did=nothing")
    assert (
        await trail(site.database, "dead_letters/changes.warehouse") == [("anna", f"dead_letters.{act}", "mended")] * 2
    )


async def _seen(visitor: Visitor) -> str:
    return (await visitor.see("/queues/dead-letters")).partition('name="seen" value="')[2].partition('"')[0]


async def test_many_letters_go_on_where_the_page_ended(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "jobs", "jobs.hook")
        for number in range(55):
            dead(connection, "jobs.hook", "jobs", uuid.uuid4(), f"reason {number:02}.", timedelta(minutes=number))
    visitor = await site.visitor()

    first = await visitor.see("/queues/dead-letters?topic=jobs")
    further = first.rpartition('href="/queues/dead-letters?')[2].partition('"')[0].replace("&amp;", "&")
    older = await visitor.see(f"/queues/dead-letters?{further}")

    assert "topic=jobs" in further
    assert ("reason 49." in first, "reason 50." in first) == (True, False)
    assert [number for number in range(55) if f"reason {number:02}." in older.partition("One by one")[2]] == [
        50,
        51,
        52,
        53,
        54,
    ]


async def test_an_admin_looks_into_a_topic_and_takes_nothing_from_anybody(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "jobs", "jobs.pull")
        for number in range(1, 24):
            message(
                connection,
                "jobs",
                number,
                {"number": f"n{number}.", "token": "never"},
                timedelta(0),
                key=f"k{number % 2}",
            )
        message(connection, "jobs", None, {"number": "unrouted."}, timedelta(0))
    admin, writer = await site.visitor(), await site.visitor(Role.WRITER)

    first = await admin.see("/queues/topics/jobs")
    further = first.rpartition("?before=")[2].partition('"')[0]
    older, of_key = (
        await admin.see(f"/queues/topics/jobs?before={further}"),
        await admin.see("/queues/topics/jobs?key=k1"),
    )

    assert ("unrouted." in first, "n23." in first, "n5." in first, "n4." in first) == (True, True, True, False)
    assert ("n4." in older, "n5." in older, "never" in first) == (True, False, False)
    assert ("n23." in of_key, "n22." in of_key) == (True, False)
    for path, status in (
        ("/queues/topics/nothing", 404),
        ("/queues/topics/%00", 404),
        ("/queues/topics/jobs?before=9e9", 200),
    ):
        assert (await admin.client.get(path)).status_code == status
    assert (await writer.client.get("/queues/topics/jobs")).status_code == 403


async def test_what_a_source_or_a_publisher_says_stays_text(site: Console) -> None:
    said = f"{HOSTILE}</pre>"
    with connect(site.database.url) as connection:
        endpoint(connection, "tracker")
        lane(connection, "tracker", pending=1, why=said)
        topic(connection, "jobs", "jobs.hook")
        message_id = message(connection, "jobs", 1, {said: [said]}, timedelta(0), key=said, attributes={said: said})
        dead(connection, "jobs.hook", "jobs", message_id, said, timedelta(0), key=said, code=said, error_class=said)
        message(connection, "jobs", 2, {}, timedelta(0), key=said)
        strand(connection, "jobs.hook", "jobs", 1, key=said, error=said)
    visitor = await site.visitor()

    for path in (
        "/queues",
        "/queues/dead-letters",
        f"/queues/dead-letters/{message_id}",
        "/queues/topics/jobs",
        f"/queues?did={said}",
    ):
        shown = await visitor.see(path)
        assert stays_text(shown), path
    refused = await visitor.send("/queues/lanes/tracker/discard", lane=said, reason=said)
    assert stays_text(refused.text)
