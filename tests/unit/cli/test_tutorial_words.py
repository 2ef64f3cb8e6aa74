"""The tutorial's steps lead somewhere for somebody who has done those before, `make demo` among them."""

import re
import shlex
from pathlib import Path

import pytest
from tests.stories.test_readme import windrow_commands

ROOT = Path(__file__).parents[3]
TUTORIAL = ROOT / "docs" / "tutorial" / "first-steps.md"
SHOWING = ROOT / "src" / "windrow" / "app" / "showing"


def test_the_tutorial_puts_no_key_that_the_demo_has_put_before() -> None:
    put = {words[2] for words in windrow_commands(TUTORIAL) if words[:2] == ["kv", "put"]}
    shown = {key for file in SHOWING.rglob("*.py") for key in re.findall(r'Key\(scope, "([^"]+)"\)', file.read_text())}

    assert put
    assert shown
    assert put.isdisjoint(shown)


@pytest.mark.parametrize("page", [TUTORIAL, ROOT / "README.md"], ids=lambda page: page.name)
def test_what_a_page_searches_for_is_in_the_path_of_a_file_that_it_has_harvested(page: Path) -> None:
    searched = [shlex.split(words[2]) for words in windrow_commands(page) if words[:2] == ["items", "search"]]
    harvested = [str(file.relative_to(ROOT / "docs")) for file in (ROOT / "docs").rglob("*.md")]

    assert searched
    for words in searched:
        assert any(all(word in path for word in words) for path in harvested), words
