"""The README tells the truth: its commands are run, its links lead somewhere."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.stories.conftest import Up, machine_in

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(page: Path) -> list[str]:
    """Every line after a `$` in the console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    return [
        line.removeprefix("$ ").partition("  #")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


def windrow_commands(page: Path) -> list[list[str]]:
    words = [shlex.split(command) for command in commands(page)]
    return [each[1:] for each in words if each[0] == ".venv/bin/windrow" and each[1:] != ["up"]]


@pytest.fixture(scope="module")
def running() -> Iterator[Up]:
    """A machine whose workers may read this repository, whoever asks."""
    with machine_in("windrow-story-") as made:
        made.environment["WINDROW_PATHS_ALLOWED"] = str(ROOT)
        with made.up() as up:
            yield up


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "docs" / "tutorial" / "first-steps.md"], ids=lambda page: page.name
)
def test_the_commands_of_a_page_work_one_after_the_other(running: Up, page: Path) -> None:
    assert windrow_commands(page)
    # each page begins on a fresh machine: here, in a tenant of its own
    tenant = page.stem.lower()
    running.machine.environment["WINDROW_TENANT"] = tenant
    for words in windrow_commands(page):
        done = running.machine.run(*words)
        assert done.returncode == 0, (words, done.stderr)
        assert done.stdout.strip()


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {command.split()[1] for page in PAGES for command in commands(page) if command.startswith("make ")}

    assert named
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []
