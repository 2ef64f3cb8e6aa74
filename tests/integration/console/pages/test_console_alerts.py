"""Alerts: what is still so comes first, and of everything that was told it is said whether it arrived."""

from datetime import timedelta
from typing import Any

from tests.integration.console.pages.fields import HOSTILE, connect, endpoint, insert, plough, run, stays_text
from tests.integration.console.pages.fields_queues import dead, message, notice, strand, topic
from tests.integration.console.pages.visitors import Console

from windrow.notify import Channel, Notice, Severity
from windrow.web.principal import Role


def failed(**more: Any) -> Notice:
    values: dict[str, Any] = {
        "channel": Channel.OPS,
        "title": "github: the run failed",
        "project_id": "main",
        "endpoint_id": "github",
        "run_id": "github-1",
        "error_class": "RetryableTransient",
        "code": "NETWORK",
    }
    return Notice(**(values | more))


def _still(shown: str) -> str:
    return shown.partition('id="h-still"')[2].partition("</section>")[0]


async def test_alerts_that_are_still_so_come_first_with_the_way_to_what_they_are_about(site: Console) -> None:
    plough(site.database.url)
    reader = await site.visitor(Role.READER)

    shown = await reader.see("/alerts")

    assert "3 alerts are still so" in shown
    still = _still(shown)
    assert [name for name in ("tracker", "warehouse", "github") if f'href="/endpoints/{name}"' in still] == [
        "tracker",
        "warehouse",
        "github",
    ]
    for words in ('href="/runs/warehouse-0"', "docs/runbook/alerts/source-refuses-us.md", "the webhook is gone"):
        assert words in still
    of_the_tenant = ("4 runs failed within 24 hours", "2 failed runs within 24 hours; more than 3 call the pager.")
    seen_by_all = await (await site.visitor()).see("/alerts")
    assert [words in seen_by_all for words in of_the_tenant] == [True, True]
    assert [words in shown for words in of_the_tenant] == [False, False]
    assert 'aria-label="Notices in the last week: 2 critical, 4 warning."' in shown
    # a message is the tenant's: who is no admin gets no way to it
    assert "/queues/dead-letters" not in shown


async def test_an_alert_is_over_when_its_endpoint_has_done_well_again(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "notify.ops", "notify.ops.log")
        endpoint(connection, "github")
        run(connection, "github", "github-1", timedelta(hours=1), outcome="failed")
        notice(connection, failed(), 1, timedelta(minutes=50))
        visitor = await site.visitor()
        assert "github: the run failed" in _still(await visitor.see("/alerts"))
        assert "github: the run failed" not in _still(await visitor.see("/alerts?channel=pager"))

        run(connection, "github", "github-2", timedelta(minutes=10))
        assert "Nothing is open" in await visitor.see("/alerts")
        again = {"outcome": None, "state": "running", "ended_at": None, "settled": None}
        run(connection, "github", "github-3", timedelta(minutes=1), **again)

    shown = await visitor.see("/alerts")
    assert "Nothing is open" in shown
    assert "github: the run failed" in shown.partition("What was told")[2]


async def test_the_pager_is_open_while_the_failures_are_too_many(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "notify.pager", "notify.pager.log")
        paged = failed(channel=Channel.PAGER, title="far too many", project_id=None, endpoint_id=None)
        notice(connection, paged, 1, timedelta(minutes=5))
        for number in range(4):
            insert(connection, "failed_runs", run_id=f"r{number}", project_id="main", endpoint_id="x", code="NETWORK")
    visitor, reader = await site.visitor(), await site.visitor(Role.READER)

    assert "far too many" in _still(await visitor.see("/alerts"))
    # it names the endpoints of every project: only who may know of those is told
    assert "far too many" not in await reader.see("/alerts")


async def test_of_every_notice_it_is_said_whether_it_arrived_and_if_not_why(site: Console) -> None:
    ends = ("notify.ops.log", "notify.ops.webhook")
    with connect(site.database.url) as connection:
        topic(connection, "notify.ops", *ends)
        notice(connection, failed(title="came"), 1, timedelta(hours=3))
        lost = notice(connection, failed(title="was lost"), 2, timedelta(hours=2))
        dead(connection, ends[1], "notify.ops", lost, "the webhook is gone", timedelta(hours=1))
        notice(connection, failed(title="fails"), 3, timedelta(hours=1))
        strand(connection, ends[1], "notify.ops", 2, key="main/github", error="it answered 503", attempts=4)
        notice(connection, failed(title="is new"), None, timedelta(0))
        early = failed(title="was before the webhook", endpoint_id="old")
        notice(connection, early, 4, timedelta(days=30))
    visitor = await site.visitor()

    told = (await visitor.see("/alerts")).partition("What was told")[2].split('<li class="alert')
    said = {
        title: _ends(part)
        for title in ("came", "was lost", "fails", "is new", "was before")
        for part in told
        if f"<strong>{title}" in part
    }

    assert said == {
        "came": ["log: arrived", "webhook: arrived"],
        "was lost": ["log: arrived", "webhook: lost"],
        "fails": ["log: arrived", "webhook: failing"],
        "is new": ["log: waiting", "webhook: waiting"],
        "was before": ["log: arrived"],
    }
    assert "after 4 attempts: it answered 503" in "".join(told)
    assert "after 40 attempts: the webhook is gone" in "".join(told)


def _ends(part: str) -> list[str]:
    return [
        f"{sink}: {state}"
        for sink in ("log", "webhook")
        for state in ("arrived", "waiting", "failing", "lost")
        if f"{sink}: {state}<" in part
    ]


async def test_notices_of_another_project_are_not_told_here(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "notify.ops")
        notice(connection, failed(title="of others", project_id="other"), 1, timedelta(0))
        notice(connection, failed(title="of ours"), 2, timedelta(0))
    shown = await (await site.visitor()).see("/alerts")

    assert ("of ours" in shown, "of others" in shown) == (True, False)


async def test_many_notices_go_on_where_the_page_ended(site: Console) -> None:
    with connect(site.database.url) as connection:
        topic(connection, "notify.ops")
        for number in range(35):
            notice(connection, failed(title=f"number {number:02}."), number + 1, timedelta(minutes=number))
    visitor = await site.visitor()

    first = await visitor.see("/alerts?channel=ops")
    further = first.rpartition('href="/alerts?')[2].partition('"')[0].replace("&amp;", "&")
    older = await visitor.see(f"/alerts?{further}")

    assert ("number 29." in first, "number 30." in first, "number 29." in older, "number 34." in older) == (
        True,
        False,
        False,
        True,
    )


async def test_what_a_notice_says_stays_text_and_a_stranger_among_them_hides_none(site: Console) -> None:
    words = dict.fromkeys(("title", "text", "endpoint_id", "run_id", "error_class", "code", "hint"), HOSTILE)
    with connect(site.database.url) as connection:
        endpoint(connection, "github")
        topic(connection, "notify.ops", "notify.ops.webhook")
        lost = notice(connection, failed(**words), 1, timedelta(0))
        dead(connection, "notify.ops.webhook", "notify.ops", lost, HOSTILE, timedelta(0))
        for number, stranger in enumerate(([HOSTILE], {"severity": HOSTILE, "title": 7}, HOSTILE), start=2):
            message(connection, "notify.ops", number, stranger, timedelta(0))
        notice(connection, failed(severity=Severity.INFO), 9, timedelta(0))
    shown = await (await site.visitor()).see("/alerts")

    assert stays_text(shown)
    assert ("a message that is no notice" in shown, "github: the run failed" in shown) == (True, True)
