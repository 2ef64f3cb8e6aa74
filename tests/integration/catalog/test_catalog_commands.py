"""`windrow items`, as a person at a shell meets it."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.integration.catalog.shelf import add, change, id_of, moment, relate
from typer.testing import CliRunner, Result

from windrow import catalog
from windrow.cli.tree import tree
from windrow.postgres import Database

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process, against this test's database, on a narrow terminal."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_TENANT", "acme")
    monkeypatch.setenv("WINDROW_PROJECT", "main")
    return lambda *words: CliRunner().invoke(tree, ["items", *words])


@pytest.fixture
def stocked(run: Run, database_url: str) -> Run:
    async def stock() -> None:
        async with Database(database_url) as database:
            (item_id,) = await add(
                database, "src/kv.py", canonical_path="src/kv.py", labels=["red"], attributes={"size": 1}
            )
            await add(database, "docs/\x1b[31mred.md", display_name="\x1b[31mred.md", entity_type="page")
            await change(database, item_id, at=moment(1), run="run-2", attributes={"size": 2})
            await relate(database, item_id, "parent", "src")
            await catalog.index_tenant(database, "acme")

    asyncio.run(stock())
    return run


def answer(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_an_empty_catalog_tells_how_to_fill_it(run: Run) -> None:
    for words in ([], ["list"], ["changes"], ["count"]):
        done = run(*words)
        assert done.exit_code == 0, done.output
        assert "windrow endpoint add" in done.stdout
        assert "windrow sync NAME" in done.stdout
    assert "Nothing was found" in run("search", "x").stdout


def test_items_are_listed_found_and_counted(stocked: Run) -> None:
    assert "kv.py" in stocked().stdout
    assert [each["external_id"] for each in answer(stocked("list", "--type", "file", "--json"))["items"]] == [
        "src/kv.py"
    ]
    found = answer(stocked("search", "src", "k", "--label", "red", "--json"))
    assert [(hit["external_id"], hit["where"]) for hit in found["hits"]] == [("src/kv.py", "path")]
    assert (found["count"], found["is_all"], found["behind"], found["next"]) == (1, True, 0, None)
    assert answer(stocked("count", "--json")) == [
        {"endpoint_id": "repo", "entity_type": "file", "items": 1, "deleted": 0},
        {"endpoint_id": "repo", "entity_type": "page", "items": 1, "deleted": 0},
    ]
    assert "all" in stocked("count").stdout


def test_who_searches_is_told_what_cannot_be_found_yet(stocked: Run, database_url: str) -> None:
    async def stock() -> None:
        async with Database(database_url) as database:
            await add(database, "late.py")

    assert "so lately" not in stocked("search", "late").output
    asyncio.run(stock())

    assert answer(stocked("search", "late", "--json"))["behind"] == 1
    assert "1 items were written so lately" in stocked("search", "late").stderr


def test_the_next_page_is_told(stocked: Run) -> None:
    first = stocked("list", "--limit", "1")
    after = first.stderr.split("--after ")[1].strip()

    second = stocked("list", "--after", after).stdout
    assert ("kv.py" in first.stdout, "red.md" in first.stdout) == ("red.md" in second, "kv.py" in second)
    assert ("kv.py" in second) != ("red.md" in second)
    mark = stocked("changes", "--limit", "1").stderr.split("--after ")[1].strip()
    assert len(answer(stocked("changes", "--after", mark, "--json"))["changes"]) == 2


def test_an_item_is_shown_with_its_provenance_history_and_relations(stocked: Run) -> None:
    short = str(id_of("src/kv.py"))[:8]

    shown = answer(stocked("show", "repo", "src/kv.py", "--history", "--json"))
    assert shown["provenance"]["connector"] == "git"
    assert [step["kind"] for step in shown["history"]] == ["changed", "created"]
    plain = stocked("show", short, "--history").stdout
    assert "provenance.run id" in plain
    assert "attributes.size" in plain
    assert answer(stocked("history", short, "--json"))[0]["differences"] == [
        {"field": "attributes.size", "before": 1, "after": 2}
    ]
    assert answer(stocked("relations", short, "--json"))["outgoing"][0]["external_id"] == "src"
    assert "not harvested" in stocked("relations", short).stdout


def test_no_control_character_reaches_the_terminal(stocked: Run) -> None:
    for words in ([], ["list"], ["search", "red"], ["changes"], ["show", "repo", "docs/\x1b[31mred.md"]):
        assert "\x1b" not in stocked(*words).output, words


@pytest.mark.parametrize(
    "words",
    [
        ("show", "xyz"),
        ("show", "12345678"),
        ("show", "repo", "never"),
        ("history", "00000000-0000-0000-0000-000000000000"),
        ("relations", "\x1b[31m"),
        ("changes", "--after", "yesterday"),
        ("list", "--after", "12345678"),
        ("search", "x", "--after", "500"),
    ],
)
def test_what_is_not_there_is_told_with_the_next_step(stocked: Run, words: tuple[str, ...]) -> None:
    done = stocked(*words)

    assert done.exit_code == 2, done.output
    assert "next:" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.output
