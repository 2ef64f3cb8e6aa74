"""`windrow endpoint`: what is refused, how it is told, and that no secret is ever repeated."""

from pathlib import Path

import pytest
from tests.integration.endpoints.shelf import KEY, build
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree

CANARY = "canary5ecret0123456789"


@pytest.fixture
def shelf(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source, and an environment in which it can be read."""
    monkeypatch.setenv("WINDROW_DATABASE_URL", database_url)
    monkeypatch.setenv("WINDROW_SECRET_SHELF", "open-sesame")
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(tmp_path)
    return build(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(tree, ["endpoint", *words])


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_source_is_shown_with_the_next_step(shelf: Path) -> None:
    assert "windrow endpoint test annex" in done("add", "annex", "shelf", f"path={shelf}", *KEY)
    assert str(shelf) in done("show", "annex")
    assert "stays in the catalog" in done("remove", "annex", "--reason", "sold")
    assert "windrow endpoint add" in done("list")


def test_a_trial_shows_ticks_and_the_items_of_a_first_page(shelf: Path) -> None:
    done("add", "annex", "shelf", f"path={shelf}", *KEY)

    told = done("test", "annex", "--preview", "2")

    assert "fits" in told
    assert "3 records, 1 of them would be refused" in told
    assert "Harvest" in told
    assert "Rake" in told


@pytest.mark.parametrize(
    ("path", "credential", "said"),
    [
        (".gone", "env:WINDROW_SECRET_SHELF", "check the path"),
        ("", "env:WINDROW_SECRET_LOST", "WINDROW_SECRET_LOST"),
        ("", "env:HOME", "CREDENTIALS_ALLOWED"),
        ("", "env:WINDROW_SECRET_WRONG", "ask the librarian"),
    ],
)
def test_a_source_that_cannot_be_read_is_told_with_the_next_step(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, path: str, credential: str, said: str
) -> None:
    monkeypatch.setenv("WINDROW_SECRET_WRONG", CANARY)
    done("add", "annex", "shelf", f"path={shelf}{path}", "--credential-ref", credential)

    result = run("test", "annex", "--preview", "3")

    assert result.exit_code == 1, result.output
    assert "FAIL" in result.output
    assert "next:" in result.output
    assert said in result.output
    assert CANARY not in result.output


@pytest.mark.parametrize("machines", [(), ("--json",)])
@pytest.mark.parametrize(
    "words",
    [
        ("path=/x", "--credential-ref", CANARY),
        ("path=/x", "--credential-ref", f"user:{CANARY}"),
        ("path=/x", f"token={CANARY}"),
        ("path=/x", f'password:="{CANARY}"'),
        (f"path=https://{CANARY}@host.example/books",),
        ("path=/x", CANARY),
    ],
)
def test_a_secret_is_refused_and_repeated_nowhere(
    shelf: Path, words: tuple[str, ...], machines: tuple[str, ...]
) -> None:
    result = run("add", "leaky", "shelf", *words, *machines)

    assert result.exit_code == 2, result.output
    assert "canary5ecret" not in result.output
    assert run("show", "leaky").exit_code == 2


def test_what_is_wrong_is_told_with_the_next_step(shelf: Path) -> None:
    done("add", "annex", "shelf", f"path={shelf}", *KEY)
    for code, words in (
        (2, ("show", "anex")),
        (2, ("show", "\udcff")),
        (2, ("test", "anex")),
        (2, ("edit", "annex")),
        (2, ("edit", "annex", "--unset", "rooms")),
        (2, ("edit", "annex", "--schedule", "now and then")),
        (2, ("edit", "annex", "--page-size", "10")),
        (2, ("edit", "annex", "--credential-ref", "")),
        (2, ("edit", "annex", "colour=red")),
        (3, ("edit", "annex", "depth=2", "--expect", "7")),
        (3, ("add", "annex", "shelf", f"path={shelf}", *KEY)),
        (2, ("add", "An Annex", "shelf", f"path={shelf}", *KEY)),
        (2, ("add", "other", "shelve", f"path={shelf}", *KEY)),
        (2, ("add", "other", "shelf", f"path={shelf}")),
        (2, ("add", "other", "shelf", *KEY)),
        (2, ("add", "other", "shelf", f"path={shelf}", "--schedule", "0 0 30 2 *", *KEY)),
        (2, ("remove", "anex", "--reason", "sold")),
        (2, ("remove", "annex", "--reason", " ")),
        (2, ("remove", "annex", "--reason", "\udcff")),
    ):
        result = run(*words)
        assert result.exit_code == code, (words, result.output)
        assert "next:" in result.output, words
    assert '"version": 1' in done("show", "annex", "--json")


def test_an_edit_to_what_is_there_already_makes_no_version(shelf: Path) -> None:
    done("add", "annex", "shelf", f"path={shelf}", *KEY)

    assert "Nothing differs" in done("edit", "annex", f"path={shelf}")
    assert '"version": 1' in done("show", "annex", "--json")
