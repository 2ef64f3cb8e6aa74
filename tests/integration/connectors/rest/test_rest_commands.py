"""`windrow connectors check my.yaml` and `windrow preview my.yaml`: a definition is tried before it is an endpoint."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conformance.pages_of_rest import example
from tests.fakes.bookish import Bookish
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree

Run = Callable[..., Result]
CREDENTIAL = ("--credential-ref", "env:WINDROW_SECRET_SHOP")


@pytest.fixture
def shop() -> Iterator[Bookish]:
    with Bookish() as open_shop:
        yield open_shop


@pytest.fixture
def run(shop: Bookish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WINDROW_SECRET_SHOP", shop.secret)
    monkeypatch.setenv("WINDROW_ADDRESSES_ALLOWED", shop.door)
    return lambda *words: CliRunner().invoke(tree, list(words))


def written(name: str, shop: Bookish, tmp_path: Path) -> str:
    file = tmp_path / f"{name}.yaml"
    file.write_text(example(name).replace("http://127.0.0.1:8020", shop.base_url))
    return str(file)


@pytest.fixture
def tracker(shop: Bookish, tmp_path: Path) -> str:
    return written("tracker", shop, tmp_path)


def test_a_definition_is_examined_as_a_connector_is(run: Run, shop: Bookish, tmp_path: Path) -> None:
    done = run("connectors", "check", written("wiki", shop, tmp_path), *CREDENTIAL, "--json")

    assert done.exit_code == 0, done.output
    verdicts = {each["name"]: each["verdict"] for each in json.loads(done.stdout)}
    assert verdicts["resume"] == verdicts["incremental"] == verdicts["secrets"] == "passed"
    # by what the definition says, and not by what any could
    assert verdicts["listing"] == "skipped"


def test_a_definition_is_previewed_without_a_database(run: Run, tracker: str, shop: Bookish) -> None:
    done = run("preview", tracker, 'values:={"org": "acme"}', *CREDENTIAL, "--rows", "30", "--json")

    assert done.exit_code == 0, done.output
    items = json.loads(done.stdout)["items"]
    assert {each["entity_type"] for each in items} == {"project", "issue"}
    assert shop.secret not in done.output


@pytest.mark.parametrize("command", [("connectors", "check"), ("preview",)])
def test_what_is_wrong_with_a_file_is_told_line_by_line(run: Run, tracker: str, command: tuple[str, ...]) -> None:
    text = Path(tracker).read_text().replace("parent: projects", "parnt: projects")
    Path(tracker).write_text(text.replace("{record.votes}", "{record.votes | lowr}"))

    done = run(*command, tracker)

    assert done.exit_code == 2
    assert f"{tracker}:21: streams.issues.parnt: is not known (did you mean parent?)" in done.output
    assert (
        "streams.issues.item.attributes.votes: is refused: 'lowr' is no function (did you mean lower?)" in done.output
    )
    assert "next: mend the file" in done.output


def test_a_file_that_asks_for_values_says_so(run: Run, tracker: str) -> None:
    done = run("connectors", "check", tracker, *CREDENTIAL)

    assert done.exit_code == 2
    assert "asks for values: org" in done.output


def test_an_endpoint_takes_no_fields_of_a_file(run: Run) -> None:
    done = run("preview", "handbook", "base_url=http://a.example")

    assert done.exit_code == 2
    assert "windrow endpoint edit" in done.output
