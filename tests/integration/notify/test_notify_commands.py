"""`windrow notify`, as an operator meets it."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.fakes.slack import Slack
from tests.fakes.web import answer
from typer.testing import CliRunner, Result

from windrow import notify
from windrow.cli.tree import tree
from windrow.messages import route
from windrow.notify import Channel, Notice
from windrow.postgres import Database

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process, against this test's database."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_TENANT", "acme")
    return lambda *words: CliRunner().invoke(tree, ["notify", *words])


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slack]:
    """A chat in a thread of its own, since a command has a loop of its own."""
    slack, loop = Slack(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(slack.__aenter__(), loop).result(10)
    monkeypatch.setenv("CHAT_HOOK", slack.url)
    monkeypatch.setenv("WINDROW_ADDRESSES_ALLOWED", slack.web.door)
    monkeypatch.setenv("WINDROW_NOTIFY", "pager=webhook:env:CHAT_HOOK, ops=log")
    yield slack
    asyncio.run_coroutine_threadsafe(slack.__aexit__(None, None, None), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_a_test_notice_reaches_the_webhook_and_says_so(run: Run, chat: Slack) -> None:
    done = run("test", "pager", "--json")

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["outcome"] == "delivered"
    assert [posted.document["text"] for posted in chat.posted] == ["INFO pager: a test (acme)"]


def test_a_notice_is_signed_where_a_secret_is_set(run: Run, chat: Slack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_WEBHOOK_SECRET", "a signing secret")
    run("test", "pager")

    assert chat.web.requests[-1].headers["windrow-signature"].startswith("v1=")


def test_a_channel_without_a_webhook_says_how_to_set_one(run: Run, chat: Slack) -> None:
    done = run("test", "security")

    assert done.exit_code == 2
    assert "WINDROW_NOTIFY=security=webhook:env:SECURITY_HOOK" in done.stderr
    assert chat.posted == []


def test_a_webhook_that_does_not_answer_well_ends_the_command_with_the_reason(run: Run, chat: Slack) -> None:
    chat.ails(answer(403, b"invalid_token"))
    done = run("test", "pager")

    assert done.exit_code == 5
    assert "403" in done.stderr
    assert "cccccccc" not in done.output


def test_a_webhook_whose_address_is_missing_says_which_variable_to_set(
    run: Run, chat: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHAT_HOOK")
    done = run("test", "pager")

    assert done.exit_code == 5
    assert "set CHAT_HOOK" in done.stderr


def test_channels_are_shown_with_where_they_go_and_how_they_fare(run: Run, chat: Slack, database_url: str) -> None:
    async def tell() -> None:
        async with Database(database_url) as database:
            async with database.tenant("acme") as tx:
                await notify.tell(tx, Notice(channel=Channel.PAGER, title="waits"))
            await route(database)
            await notify.attach(database, [Channel.PAGER])

    asyncio.run(tell())
    rows = json.loads(run("channels", "--json").stdout)

    assert [(row["channel"], row["sink"], row["address"], row["pending"]) for row in rows] == [
        ("security", "log", None, 0),
        ("ops", "log", None, 0),
        ("pager", "log", None, 1),
        ("pager", "webhook", "env:CHAT_HOOK", 1),
        ("maintainers", "log", None, 0),
    ]
    assert "env:CHAT_HOOK" in run("channels").stdout


def test_a_webhook_that_left_the_settings_is_detached_and_one_that_is_set_is_not(
    run: Run, chat: Slack, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_channels_are_shown_with_where_they_go_and_how_they_fare(run, chat, database_url)
    assert run("detach", "pager").exit_code == 2

    monkeypatch.setenv("WINDROW_NOTIFY", "")
    assert json.loads(run("detach", "pager", "--json").stdout) == {"channel": "pager", "tenants": 1}
    assert "webhook" not in run("channels").stdout


def test_a_setting_that_is_wrong_is_told_without_repeating_a_pasted_address(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrong in ("pager=https://hooks.example/secret-path", "pager=webhook:https://hooks.example/secret-path"):
        monkeypatch.setenv("WINDROW_NOTIFY", wrong)
        done = run("test", "pager")
        assert done.exit_code == 5
        assert "WINDROW_NOTIFY" in done.stderr
        assert "secret-path" not in done.output
