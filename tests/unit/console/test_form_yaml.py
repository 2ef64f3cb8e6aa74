"""A definition can be pasted into the form as it stands in its file: as YAML."""

import re
from pathlib import Path

import pytest
import yaml
from tests.unit.console.forms import drawn

from windrow.connectors import registry
from windrow.console.pages.endpoints import draft as drafts
from windrow.contracts.scope import Scope

ACME = Scope("acme", "default")
REST, SINGER = registry.find("rest"), registry.find("singer")
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "harvest-rest.md"
EXAMPLES = re.findall(r"```yaml\n(version: 1\n.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_documented_definitions_are_taken_as_they_are_written(text: str) -> None:
    values = yaml.safe_load(text).get("values", {})
    form = {"name": "x", "config.definition": text.replace("\n", "\r\n"), "config.values": yaml.safe_dump(values)}

    draft = drafts.drafted(REST, form, ACME)

    assert draft.sheet.faults == {}
    assert draft.wanted is not None
    assert draft.wanted.config["definition"]["title"] == yaml.safe_load(text)["title"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version: 1\n\ttitle: x", "a tab: use spaces, in line 2"),
        ("version: 1\nversion: 2", "is there twice, first on line 1, in line 2"),
        ("a: &x [1]\nb: *x", "the anchor &x"),
        ("just a word", "is not JSON"),
        ("{version: 1}", "is not JSON"),
    ],
)
def test_what_is_neither_is_told_with_its_line_and_nothing_else_is_blamed(text: str, words: str) -> None:
    draft = drafts.drafted(REST, {"name": "x", "config.definition": text}, ACME)

    assert draft.sheet.faults.keys() == {"config.definition"}
    assert words in draft.sheet.faults["config.definition"]
    assert draft.sheet.entries["config.definition"].text == text


@pytest.mark.parametrize(
    "text", ["password: hunter2\n\tx", "tap:\n  - api_key: hunter2\n\tx", "a: {token: hunter2,\n\t"]
)
def test_a_secret_is_not_shown_again_even_where_its_yaml_is_broken(text: str) -> None:
    draft = drafts.drafted(SINGER, {"name": "x", "config.tap": "tap-x", "config.tap_config": text}, ACME)

    assert "config.tap_config" in draft.sheet.faults
    assert "hunter2" not in drawn("{{ form.settings(sheet) }}", sheet=draft.sheet)
