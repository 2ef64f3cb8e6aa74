"""Forms that are drawn from configurations: for every connector there is, and what comes back is what was there."""

import json
from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from tests.unit.console.forms import drawn, filled

from windrow.connectors import registry
from windrow.connectors.configuration import faults
from windrow.connectors.registry import AnyConnector
from windrow.connectors.spec import ConnectorSpec
from windrow.console.pages.endpoints import draft as drafts
from windrow.console.pages.endpoints.form.blanks import Blank, Kind, blanks
from windrow.console.pages.endpoints.form.sheet import Sheet, read
from windrow.contracts.identity import canonical
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.telemetry.redaction import PROCESS

CONNECTORS = {each.name: each.connector for each in registry.offered() if each.connector}
ACME = Scope("acme", "main")
DEFINITION = {
    "version": 1,
    "base_url": "https://api.example.org",
    "auth": {"type": "header", "header": "X-Who", "prefix": "Token "},
    "streams": {
        "pages": {
            "path": "/pages",
            "item": {"entity_type": "page", "external_id": "{record.id}", "display_name": "{record.id}"},
        }
    },
}
VALID: dict[str, dict[str, Any]] = {
    "confluence": {"base_url": "https://acme.atlassian.net/wiki", "spaces": ["ENG", "~ada"]},
    "files": {"path": "/srv/ä b", "hash_limit": None, "hidden": False},
    "git": {"url": "https://git.example/x.git", "since": "2026-01-31", "entities": ["tag", "file"]},
    "github": {"owner": "acme", "files": [], "relist_hours": 24},
    "onedrive": {"directory": "acme.org", "client_id": " c ", "sign_in": "user", "me": True, "relist_hours": 2.5},
    "postgres": {"host": "db.example", "user": 'it\'s "me"', "database": "postgres"},
    "rest": {"definition": DEFINITION},
    "singer": {"tap": "tap-x", "tap_config": {"a": [1, {"b": None}]}, "rules": {"*": {"id": ["id"]}}},
}


def browser(kind: AnyConnector, config: dict[str, Any]) -> dict[str, str]:
    """What comes back of a form that shows this configuration."""
    return filled(drawn("{{ form.settings(sheet) }}", sheet=Sheet.drawn(blanks(kind), config)))


def values(blank: Blank) -> st.SearchStrategy[Any]:
    """What could stand in a blank; the model has the last word."""
    text = st.text(max_size=20) | st.sampled_from(
        ["/a", "a\nb", " a ", "</textarea><script>", "\r\n", "", "-1", "null"]
    )
    plain = {
        Kind.WHOLE: st.integers(0, 30),
        Kind.NUMBER: st.integers(0, 30).map(float) | st.floats(0, 8000),
        Kind.DATE: st.dates(date(1, 1, 1)).map(str),
        Kind.TICK: st.booleans(),
        Kind.CHOICE: st.sampled_from(blank.choices) if blank.choices else st.none(),
        Kind.LINES: st.lists(text, max_size=4),
        Kind.TICKS: st.lists(st.sampled_from(blank.choices), min_size=1, max_size=4) if blank.choices else st.none(),
        Kind.JSON: st.dictionaries(
            text, st.recursive(text | st.none() | st.booleans(), st.lists, max_leaves=4), max_size=3
        ),
    }
    found = plain.get(blank.kind, text)
    return found | st.none() if blank.nullable else found


@st.composite
def configurations(draw: st.DrawFn) -> tuple[AnyConnector, dict[str, Any]]:
    """A valid one of any connector, as an endpoint keeps it."""
    name = draw(st.sampled_from(sorted(VALID)))
    kind = CONNECTORS[name]
    config = dict(VALID[name])
    for blank in draw(st.lists(st.sampled_from(blanks(kind)), max_size=5, unique_by=lambda each: each.name)):
        tried = config | {blank.key: draw(values(blank))}
        config = config if faults(kind, tried) else tried
    return kind, kind.spec.config.model_validate(config).model_dump(mode="json", exclude_unset=True, by_alias=True)


def test_there_is_an_example_for_every_connector() -> None:
    assert VALID.keys() == CONNECTORS.keys()
    assert {name: faults(CONNECTORS[name], config) for name, config in VALID.items()} == {name: [] for name in VALID}


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configurations())
def test_a_form_that_nobody_touched_gives_the_same_configuration(example: tuple[AnyConnector, dict[str, Any]]) -> None:
    kind, config = example

    form = browser(kind, config)

    edited, wrong = read(blanks(kind), form, config)
    assert (canonical(edited), wrong) == (canonical(config), {})
    added, wrong = read(blanks(kind), form, {})
    model = kind.spec.config
    assert (model.model_validate(added), wrong) == (model.model_validate(config), {})


@pytest.mark.parametrize("name", sorted(VALID))
def test_a_form_can_be_drawn_for_every_connector(name: str) -> None:
    kind = CONNECTORS[name]
    form = browser(kind, {})

    config, wrong = read(blanks(kind), form, {})

    # what is left empty is left to the defaults; what is missing is told by the model
    assert (config, wrong) == ({}, {})
    told = {blank.label for blank in blanks(kind) if blank.required}
    draft = drafts.drafted(kind, form | {"name": "x"}, ACME)
    assert draft.wanted is None
    for label in told:
        assert f"{label} is required" in draft.sheet.faults.values()


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    """A part."""

    model_config = ConfigDict(extra="forbid")

    name: str = "anna"
    size: int | None = Field(None, ge=1, description="how large")
    on: bool = True


class Deep(BaseModel):
    """Holds itself."""

    again: "Deep | None" = None


class Shelf(BaseModel):
    """Everything that a model can be."""

    model_config = ConfigDict(extra="forbid")

    part: Inner = Field(Inner(), description="a part")
    other: Inner | None = Field(None, description="perhaps a part")
    given: Inner = Field(Inner(name="olga"), description="a part that is not as it would be by itself")
    either: int | str = Field(1, description="a number or a text")
    perhaps: bool | None = Field(None, description="yes, no or neither")
    fixed: Literal[1, 2] = Field(1, description="a number of a list")
    colours: list[Colour] = Field([Colour.RED], description="some colours")
    deep: Deep | None = Field(None, description="no end")
    numbers: list[int] = Field([], description="numbers")
    as_it_is_called: str = Field("x", alias="from", description="named otherwise")
    made: list[str] = Field(default_factory=lambda: ["a"], description="made anew")


class Shelves(CONNECTORS["files"]):  # type: ignore[name-defined,misc]
    """Reads shelves."""

    spec = ConnectorSpec(name="shelves", version="1", title="Shelves", source_system="x", config=Shelf)


def test_whatever_a_model_is_made_of_has_a_blank() -> None:
    kinds = {blank.key: blank.kind for blank in blanks(Shelves)}

    assert kinds == {
        "part": Kind.GROUP,
        "other": Kind.GROUP,
        "given": Kind.GROUP,
        "either": Kind.JSON,
        "perhaps": Kind.CHOICE,
        "fixed": Kind.CHOICE,
        "colours": Kind.TICKS,
        "deep": Kind.JSON,
        "numbers": Kind.JSON,
        "from": Kind.TEXT,
        "made": Kind.LINES,
    }


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"part": {"name": "b"}, "other": {}, "given": {"size": 3}},
        {"part": {}, "other": None, "perhaps": False, "fixed": 2, "either": "1"},
        {"given": {"name": "anna", "on": False}, "colours": ["blue", "red"], "numbers": [3], "from": " y"},
        {"deep": {"again": {"again": None}}, "made": [], "colours": []},
        {"part": {"name": "a\nb", "size": None}, "perhaps": True, "either": 7},
    ],
)
def test_groups_choices_and_what_is_only_json_come_back_as_they_were(config: dict[str, Any]) -> None:
    form = browser(Shelves, config)

    edited, wrong = read(blanks(Shelves), form, config)
    added, _ = read(blanks(Shelves), form, {})

    assert (json.dumps(edited), wrong) == (json.dumps({key: config[key] for key in edited}), {})
    assert edited.keys() == config.keys()
    # what is empty and what is nothing look the same in a form, and come to the same
    same = {"other": config.get("other") or None}
    assert Shelf.model_validate(added | same) == Shelf.model_validate(config | same)


def test_a_part_of_a_group_is_changed_alone() -> None:
    form = browser(Shelves, {}) | {"config.given.size": "3", "config.other.name": "otto", "config.part.on": "no"}

    config, _ = read(blanks(Shelves), form, {})

    assert config == {"given": {"name": "olga", "size": 3}, "other": {"name": "otto"}, "part": {"on": False}}


FILES = CONNECTORS["files"]
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz012345"


@pytest.mark.parametrize(
    ("connector", "said", "at", "words"),
    [
        ("files", {"config.path": "relative"}, "config.path", "not an absolute path"),
        ("files", {"config.max_depth": "many"}, "config.max_depth", "valid integer"),
        ("files", {"config.max_depth": "9" * 10_000}, "config.max_depth", "integer"),
        ("files", {"config.hash": "sha1"}, "config.hash", "'none', 'fast' or 'full'"),
        ("files", {"config.owner": "acme"}, "", "there is no blank 'config.owner'"),
        ("files", {"config.__proto__": "x"}, "", "there is no blank"),
        ("files", {"json.config.path": "{"}, "config.path", "is not JSON"),
        ("files", {"json.config.path": "[" * 20_000}, "config.path", "too deep"),
        ("files", {"json.config.include": "[" * 900 + "]" * 900}, "", "64 levels"),
        ("files", {"json.config.path": '"\\ud800"'}, "config.path", "no JSON that can be kept"),
        ("files", {"json.config.hash_limit": "NaN"}, "", "nan"),
        ("files", {"config.include": "x" * 10_000}, "config.include", "more than"),
        ("files", {"config.path": "/" + "x" * 70_000}, "", "large"),
        ("files", {"name": "Ä" * 10_000}, "name", "is not a name"),
        ("files", {"schedule": "x" * 10_000}, "schedule", "longer than any schedule"),
        ("files", {"time_zone": "Mars/Olympus"}, "time_zone", "no time zone"),
        ("files", {"time_zone": "../../etc/passwd"}, "time_zone", "no time zone"),
        ("files", {"page_size": "5"}, "page_size", "page"),
        ("files", {"config.path": f"/{SECRET}"}, "config.path", "secret in clear"),
        ("git", {"config.path": "/srv", "config.url": "https://x.example/y"}, "", "Give one of path and url"),
        ("git", {"config.url": "https://u:p4ssw0rd@x.example/y"}, "config.url", "secret in clear"),
        ("git", {"config.path": "/srv", "credential_ref": SECRET}, "credential_ref", "malformed"),
        ("onedrive", {}, "credential_ref", "needs a credential"),
        ("rest", {"config.definition": '{"version": 2}'}, "config.definition", "Definition: version"),
        ("singer", {"config.tap_config": '{"password": "hunter2"}'}, "config.tap_config", "secret in clear"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(connector: str, said: dict[str, str], at: str, words: str) -> None:
    kind = CONNECTORS[connector]
    needed = {"files": {"config.path": "/srv"}, "singer": {"config.tap": "tap-x"}}.get(connector, {})

    draft = drafts.drafted(kind, {"name": "x", **needed, **said}, ACME)

    assert draft.wanted is None
    assert words in draft.sheet.faults[at], draft.sheet.faults
    page = drawn("{{ form.summary(sheet) }}{{ form.settings(sheet) }}", sheet=draft.sheet)
    assert not any(secret in page for secret in (SECRET, "p4ssw0rd", "hunter2"))
    if at.startswith("config."):
        assert f'href="#f-{at}"' in page
        assert f'id="f-{at}"' in page
        assert f'id="e-{at}"' in page


def test_a_secret_is_not_shown_again_even_where_its_json_is_broken() -> None:
    said = {"name": "x", "config.tap": "tap-x", "config.tap_config": '{"password": "hunter2", "a": '}

    draft = drafts.drafted(CONNECTORS["singer"], said, ACME)

    assert "is not JSON" in draft.sheet.faults["config.tap_config"]
    assert "hunter2" not in drawn("{{ form.settings(sheet) }}", sheet=draft.sheet)


def test_an_endpoint_is_drafted_with_all_its_settings() -> None:
    form = browser(FILES, {}) | {
        "name": "wiki",
        "config.path": "/srv/wiki",
        "config.exclude": "*.tmp\r\n\r\n!keep.tmp",
        "config.hidden": "yes",
        "config.hash_limit": "",
        "schedule": "@Daily",
        "time_zone": "Europe/Berlin",
        "page_size": "100",
    }

    draft = drafts.drafted(FILES, form, ACME)

    assert draft.sheet.faults == {}
    assert draft.time_zone == "Europe/Berlin"
    assert draft.wanted == Endpoint(
        scope=ACME,
        endpoint_id="wiki",
        connector="files",
        config={"path": "/srv/wiki", "exclude": ["*.tmp", "!keep.tmp"], "hidden": True, "hash_limit": None},
        schedule="@daily",
        page_size=100,
    )


def test_what_a_form_leaves_out_stays_as_it_was() -> None:
    before = Endpoint(
        scope=ACME, endpoint_id="wiki", connector="files", config={"path": "/srv", "hidden": True}, page_size=60
    )

    draft = drafts.drafted(FILES, {"config.max_depth": "3"}, ACME, before)
    again = drafts.drafted(FILES, {"config.max_depth": "none"}, ACME, before)

    assert draft.wanted
    assert draft.wanted.settings() == before.settings() | {"config": before.config | {"max_depth": 3}}
    assert (again.sheet.entries["config.hidden"].text, again.sheet.entries["page_size"].text) == ("yes", "60")


def test_what_is_said_as_the_default_has_it_is_left_to_the_default() -> None:
    said = {
        "json.config.hash": '"full"',
        "config.max_depth": "",
        "config.hash_limit": "+268435456",
        "config.include": "a",
    }

    assert read(blanks(FILES), said, {}) == ({"include": ["a"]}, {})
    assert read(blanks(FILES), said, {"hash": "fast"}) == ({"include": ["a"], "hash": "full"}, {})


def test_a_value_that_reads_like_a_secret_of_somebody_is_blanked_out_and_stays() -> None:
    PROCESS.know("/srv/opensesame-4711")
    config = {"path": "/srv/opensesame-4711/wiki"}

    form = browser(FILES, config)

    assert form["config.path"] == "[redacted]/wiki"
    assert read(blanks(FILES), form, config) == (config, {})
