"""Notices arrive: with what they are about, once each, whatever happens on the way."""

import pytest
from tests.conftest import Said, Spans
from tests.fakes.slack import PATH, Slack
from tests.fakes.web import answer, reset
from tests.integration.notify.desk import TENANT, Desk, http

from windrow import notify
from windrow.contracts.errors import Code
from windrow.messages import Relay, claim, route
from windrow.notify import Channel, Notice, Severity
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups


class Abandoned(Exception):
    """The transaction is given up."""


async def test_a_notice_is_told_only_if_what_it_tells_is_committed(desk: Desk, slack: Slack, said: Said) -> None:
    with pytest.raises(Abandoned):
        async with desk.database.tenant(TENANT) as tx:
            await notify.tell(tx, Notice(channel=Channel.PAGER, title="never happened"))
            raise Abandoned
    told = await desk.tell(title="happened")
    await desk.deliver()

    (posted,) = slack.posted
    assert posted.message_id == str(told)
    assert [line["title"] for line in said.events("notice.warned")] == ["happened"]


async def test_every_channel_is_logged_by_severity_and_only_one_with_a_webhook_is_posted(
    desk: Desk, slack: Slack, said: Said
) -> None:
    for channel, severity in zip(Channel, [*Severity, Severity.INFO], strict=True):
        await desk.tell(channel, f"to {channel}", severity=severity)
    await desk.deliver()

    logged = {line["channel"]: line["level"] for line in said.lines if line["event"].startswith("notice.")}
    assert logged == {"security": "INFO", "ops": "WARN", "pager": "ERROR", "maintainers": "INFO"}
    assert [posted.document["text"] for posted in slack.posted] == ["CRITICAL pager: to pager (acme)"]
    assert {line["tenant_id"] for line in said.events("notice.told")} == {TENANT}


async def test_a_delivery_that_fails_is_tried_again_with_the_same_id_until_it_is_taken(
    desk: Desk, slack: Slack
) -> None:
    slack.ails(answer(503), reset, answer(403, b"invalid_token"), answer(404, b"no_service"))
    told = await desk.tell()
    for _ in range(5):
        await desk.deliver()
        await desk.wait_for_retries()

    assert slack.tries == [str(told)] * 5
    (posted,) = slack.posted
    assert (posted.message_id, posted.attempt) == (str(told), 5)
    assert await desk.letters() == []


async def test_a_relay_that_dies_with_a_notice_in_hand_loses_none(desk: Desk, slack: Slack) -> None:
    told = await desk.tell()
    while await route(desk.database):
        pass
    await notify.attach(desk.database, [Channel.PAGER])
    async with desk.database.tenant(TENANT) as tx:
        (taken,) = await claim(tx, "notify.pager.webhook", by="the dead one")
    await desk.deliver()
    assert slack.posted == []

    await desk.wait_for_retries()
    await desk.deliver()

    assert [posted.message_id for posted in slack.posted] == [str(told)] == [str(taken.message.message_id)]


async def test_a_webhook_that_refuses_the_message_makes_a_dead_letter_at_once(desk: Desk, slack: Slack) -> None:
    slack.ails(answer(400, b"invalid_payload"))
    await desk.tell()
    await desk.deliver()

    (letter,) = await desk.letters()
    assert (letter.subscription, letter.attempts, letter.code) == ("notify.pager.webhook", 1, "REFUSED")
    assert "invalid_payload" in letter.reason


async def test_a_webhook_that_was_removed_is_tried_for_hours_and_then_is_a_dead_letter(
    desk: Desk, slack: Slack, said: Said
) -> None:
    slack.is_removed()
    await desk.tell()
    for _ in range(40):
        assert await desk.letters() == []
        await desk.deliver()
        await desk.wait_for_retries()

    (letter,) = await desk.letters()
    assert letter.attempts == 40
    waited = sum(line["retry_in_seconds"] for line in said.events("message.retried"))
    assert 4 * 3600 < waited < 8 * 3600
    assert [line["subscription"] for line in said.events("message.dead_lettered")] == ["notify.pager.webhook"]


async def test_the_address_of_a_webhook_is_found_nowhere(desk: Desk, slack: Slack, said: Said, spans: Spans) -> None:
    slack.ails(answer(500), reset, answer(400, PATH.encode()))
    await desk.tell()
    for _ in range(3):
        await desk.deliver()
        await desk.wait_for_retries()

    (letter,) = await desk.letters()
    everywhere = "".join(said.raw) + str(letter) + str([span.to_json() for span in spans.all()])
    assert PATH.strip("/") not in everywhere
    assert "cccccccc" not in everywhere


async def test_a_webhook_at_a_private_address_is_not_reached_unless_the_operator_allows_it(
    database: Database, slack: Slack, said: Said
) -> None:
    async with http(slack, allowed=False) as client:
        desk = Desk(database, slack, client)
        async with desk.vault:
            await desk.tell()
            await desk.deliver()

    assert slack.tries == []
    assert [line["code"] for line in said.events("message.retried")] == [Code.ADDRESS_REFUSED]


async def test_a_hostile_text_mentions_nobody_and_links_nowhere(desk: Desk, slack: Slack) -> None:
    await desk.tell(title="<!channel> @here", text="<https://evil.example|your bank> & co", endpoint_id="<@U1>")
    await desk.deliver()

    (posted,) = slack.posted
    assert "<" not in str(posted.document).replace("&lt;", "")
    assert "@here" not in str(posted.document)
    assert posted.attachment["text"] == "&lt;https://evil.example|your bank&gt; &amp; co"


async def test_a_notice_carries_what_a_person_needs(desk: Desk, slack: Slack) -> None:
    told = await desk.tell(
        title="wiki: the run failed",
        text="the token was revoked",
        project_id="docs",
        endpoint_id="wiki",
        run_id="wiki-7",
        error_class="Fatal",
        code="UNAUTHORIZED",
        hint="make a new one",
    )
    await desk.deliver()

    (posted,) = slack.posted
    assert posted.fields == {
        "tenant": "acme",
        "project": "docs",
        "endpoint": "wiki",
        "run": "wiki-7",
        "error": "Fatal UNAUTHORIZED",
        "next": "make a new one",
    }
    assert posted.attachment["footer"] == f"windrow {told}"


async def test_the_same_dedupe_key_is_told_once_in_each_channel(desk: Desk, slack: Slack) -> None:
    first = await desk.tell(dedupe_key="disk")
    again = await desk.tell(dedupe_key="disk")
    elsewhere = await desk.tell(Channel.OPS, dedupe_key="disk")
    await desk.deliver()

    assert first == again != elsewhere
    assert len(slack.posted) == 1


async def test_a_process_without_the_webhook_neither_takes_notices_from_it_nor_takes_it_away(
    desk: Desk, slack: Slack
) -> None:
    without = Relay(desk.database, {notify.LOG_SINK: desk.sinks[notify.LOG_SINK]}, Wakeups(desk.database.url))
    await desk.tell(title="before the webhook's process runs")
    await without.run_once()
    await notify.attach(desk.database, [])
    await without.run_once()
    assert slack.posted == []

    await desk.deliver()
    await notify.attach(desk.database, [])
    await desk.tell(title="afterwards")
    await without.run_once()
    await desk.deliver()

    assert len(slack.posted) == 2


async def test_a_webhook_that_is_set_later_hears_of_the_last_hour_and_not_of_all_that_ever_was(
    desk: Desk, slack: Slack
) -> None:
    without = Relay(desk.database, {notify.LOG_SINK: desk.sinks[notify.LOG_SINK]}, Wakeups(desk.database.url))
    await desk.tell(title="yesterday")
    await without.run_once()
    await notify.attach(desk.database, [])
    async with desk.database.tenant(TENANT) as tx:
        await tx.connection.execute("UPDATE topic_log SET routed_at = routed_at - interval '2 hours'")
    await desk.tell(title="just now")
    await desk.deliver()

    assert [posted.document["text"] for posted in slack.posted] == ["WARNING pager: just now (acme)"]


async def test_a_notice_that_waits_for_its_retry_holds_up_no_other_subject(
    desk: Desk, slack: Slack, said: Said
) -> None:
    slack.ails(answer(503))
    await desk.tell(title="waits", endpoint_id="a")
    await desk.tell(title="passes", endpoint_id="b")
    await desk.deliver()

    assert [posted.fields["endpoint"] for posted in slack.posted] == ["b"]
    assert sorted(line["title"] for line in said.events("notice.warned")) == ["passes", "waits"]


async def test_each_tenants_notices_are_its_own(desk: Desk, slack: Slack) -> None:
    await desk.tell(title="one", tenant="acme")
    await desk.tell(title="two", tenant="globex")
    await desk.deliver()

    assert {posted.fields["tenant"] for posted in slack.posted} == {"acme", "globex"}
    assert len(await desk.told(Channel.PAGER)) == 1
