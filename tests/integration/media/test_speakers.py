"""The speaker registry: what the enrichment is told, what people type, what is left in the audit trail."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.conftest import Said
from typer.testing import CliRunner, Result

from windrow.cli.tree import planted
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Actor, Scope
from windrow.media import speakers
from windrow.media.enriching import Question
from windrow.media.enrichment import Enrichment
from windrow.media.job import Media
from windrow.media.snapshot import Author, Snapshot, SpeakerHint
from windrow.media.speakers import About, Kind, Speakers
from windrow.postgres import Database, audit
from windrow.telemetry import log
from windrow.telemetry.declare import Level

SCOPE = Scope("acme", "main")
ACTOR = Actor("cli:ada", "shell")
CHANNEL, REQUEST = About(Kind.CHANNEL, "UC-1"), About(Kind.REQUEST, "request-1")


async def entered(database: Database, about: About, name: str, role: str, scope: Scope = SCOPE) -> bool:
    async with database.tenant(scope.tenant_id) as tx:
        return await speakers.add(tx, scope, about, name, role, actor=ACTOR)


async def trail(database: Database) -> list[audit.Entry]:
    async with database.tenant("acme") as tx:
        return await audit.history(tx, subject="speakers/*")


@pytest.mark.req("EV-4")
async def test_those_of_the_request_come_before_those_of_the_channel(database: Database) -> None:
    await entered(database, CHANNEL, "Zoe", "host")
    await entered(database, CHANNEL, "Ada", "host")
    await entered(database, CHANNEL, "Bob", "host")
    await entered(database, REQUEST, "bob", "guest")
    await entered(database, About(Kind.REQUEST, "request-2"), "Eve", "guest")

    class Known:
        """A provider that has heard of a speaker itself."""

        async def snapshot(self, question: Question) -> Snapshot:
            own = (
                SpeakerHint(name="ADA", role="singer", source="channel"),
                SpeakerHint(name="Joe", role="x", source="y"),
            )
            author = Author(name="Somebody", channel_id="UC-1")
            at = datetime(2026, 1, 1, tzinfo=UTC)
            return Snapshot(provider="x", title=question.media.url, author=author, speaker_hints=own, fetched_at=at)

    enrichment = Enrichment({"x": Known()}, Speakers(database))
    found = await enrichment.snapshot(Question(SCOPE, "job-1", "request-1", Media(type="x", url="a title")))

    assert [(one.name, one.role, one.source) for one in found.speaker_hints] == [
        ("bob", "guest", "request"),
        ("Ada", "host", "channel"),
        ("Zoe", "host", "channel"),
        ("Joe", "x", "y"),
    ]


async def test_entries_of_others_are_not_seen(database: Database) -> None:
    await entered(database, CHANNEL, "Ada", "host", Scope("other", "main"))
    await entered(database, CHANNEL, "Bob", "host", Scope("acme", "second"))

    assert await Speakers(database).resolve(SCOPE, "request-1", "UC-1") == ()
    assert await Speakers(database).resolve(SCOPE, "UC-1", None) == ()


async def test_every_change_is_in_the_trail_and_what_changes_nothing_is_not(database: Database) -> None:
    assert await entered(database, CHANNEL, " Ada ", "host")
    assert not await entered(database, CHANNEL, "Ada", "host")
    assert await entered(database, CHANNEL, "Ada", "guest")
    async with database.tenant("acme") as tx:
        await speakers.remove(tx, SCOPE, CHANNEL, "Ada", actor=ACTOR, reason="a mistake")
    with pytest.raises(ValidationFailure, match="no speaker 'Ada'"):
        async with database.tenant("acme") as tx:
            await speakers.remove(tx, SCOPE, CHANNEL, "Ada", actor=ACTOR)

    lines = await trail(database)
    assert [(line.action, line.subject, line.reason) for line in lines] == [
        ("speaker.remove", "speakers/channel/UC-1", "a mistake"),
        ("speaker.add", "speakers/channel/UC-1", None),
        ("speaker.add", "speakers/channel/UC-1", None),
    ]
    assert lines[0].before_hash == lines[1].after_hash
    assert lines[1].before_hash == lines[2].after_hash


@pytest.mark.parametrize(
    ("about", "name", "role"),
    [
        *(("", "Ada", "host"), ("a b", "Ada", "host"), ("x\n", "Ada", "host"), ("x" * 201, "Ada", "host")),
        *(
            ("x", "", "host"),
            ("x", "A\0", "host"),
            ("x", "A" * 201, "host"),
            ("x", "Ada", ""),
            ("x", "Ada", "The Host"),
        ),
    ],
)
async def test_what_is_no_entry_is_refused(database: Database, about: str, name: str, role: str) -> None:
    with pytest.raises(ValidationFailure, match="is refused"):
        await entered(database, About(Kind.CHANNEL, about), name, role)


class Shell:
    """Commands, as they are typed."""

    def types(self, *words: str) -> Result:
        return CliRunner().invoke(planted(["speakers"]), ["speakers", *words])

    def answer(self, *words: str) -> Any:
        result = self.types(*words, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)


@pytest.fixture
def shell(database_url: str, monkeypatch: pytest.MonkeyPatch, said: Said) -> Iterator[Shell]:
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    yield Shell()
    # a command has let the log speak to its own standard error, which is closed with it
    log.configure(format=log.Format.JSON, level=Level.FATAL, write=lambda _: None)


def test_the_registry_is_edited_at_a_shell(shell: Shell) -> None:
    assert shell.answer("add", "Ada", "--channel", "UC-1", "--role", "host")["outcome"] == "added"
    assert shell.answer("add", "Bob", "--request", "r-1", "--role", "guest")["about"] == "r-1"

    assert [one["name"] for one in shell.answer("list")] == ["Ada", "Bob"]
    both = [
        {"name": "Bob", "role": "guest", "source": "request"},
        {"name": "Ada", "role": "host", "source": "channel"},
    ]
    assert shell.answer("show", "--request", "r-1", "--channel", "UC-1") == both
    assert "Bob" in shell.types("list", "--request", "r-1").stdout

    assert shell.answer("remove", "Ada", "--channel", "UC-1")["outcome"] == "removed"
    assert "Nobody is known" in shell.types("show", "--channel", "UC-1").stdout


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("add", "Ada", "--role", "host"), "no request and no channel is named"),
        (("add", "Ada", "--role", "host", "--channel", "c", "--request", "r"), "a channel and a request are named"),
        (("remove", "Ada", "--channel", "c"), "no speaker 'Ada' is entered for the channel c"),
        (("show",), "no request and no channel is named"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_told_in_a_line(shell: Shell, words: tuple[str, ...], because: str) -> None:
    result = shell.types(*words)

    assert result.exit_code == 2
    assert because in result.stderr
