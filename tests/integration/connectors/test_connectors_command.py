"""`windrow connectors`, asked in many ways: what each needs, and what is told when something is wrong."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conformance.their_shop import install
from typer.testing import CliRunner, Result

from windrow.cli.tree import tree

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command in this process, with somebody's connectors installed beside ours."""
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    runner = CliRunner()
    yield lambda *words: runner.invoke(tree, ["connectors", *words])
    sys.modules.pop("their_shop", None)


def test_what_a_connector_needs_is_shown(run: Run) -> None:
    shown = json.loads(run("show", "talker", "--json").stdout)

    assert shown["credential"] == "required. The key of the shop."
    assert [(field["name"], field["kind"], field["required"]) for field in shown["fields"]] == [
        ("street", "text", True)
    ]
    plain = run("show", "talker").stdout
    assert "Where it stands." in plain
    assert "windrow endpoint add NAME talker street=…" in plain


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "talkr"), 2, "did you mean talker?"),
        (("show", "lost"), 5, "cannot be used"),
        (("check", "talker"), 2, "street is required"),
        (("check", "talker", "street=x", "colour=red"), 2, "colour is not known"),
        (("check", "talker", "street=x"), 2, "talker needs a credential"),
        (("check", "talker", "street=x", "--credential-ref", "env:HOME"), 1, "may not use the credential"),
        (("check", "files", "path=/tmp", "--credential-ref", "env:HOME"), 2, "takes no credential"),
        (("check", "files", "path=/tmp", "--tenant", "acme"), 1, "tenant acme may not read"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else None,
)
def test_what_is_wrong_is_told_with_the_next_step(run: Run, words: tuple[str, ...], code: int, said: str) -> None:
    done = run(*words)

    assert done.exit_code == code, done.output
    assert said in done.output
    assert "next:" in done.output
    assert "Traceback" not in done.output
