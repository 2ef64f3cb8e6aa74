"""A definition is wrong with its line and the reason; a hostile one costs nothing."""

import re
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.conformance.pages_of_rest import EXAMPLES, PAGE, example

from windrow.app.manifest import ManifestRefused, read_manifest
from windrow.connectors.configuration import configured, faults
from windrow.connectors.permits import Permits
from windrow.connectors.rest import RestConnector
from windrow.connectors.rest.asking import policy
from windrow.connectors.rest.definition import (
    Auth,
    Definition,
    Incremental,
    Limits,
    Mapping,
    Pagination,
    Rate,
    Stream,
)
from windrow.connectors.rest.functions import FUNCTIONS
from windrow.connectors.rest.reading import DefinitionRefused, permitted_definition, read_definition
from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.specs.document import LARGEST

WHOLE = """\
version: 1
base_url: https://api.example/v1
streams:
  things:
    path: things
    item:
      entity_type: thing
      external_id: "thing:{record.id}"
      display_name: "{record.name}"
"""


def told(text: str) -> list[str]:
    with pytest.raises(DefinitionRefused) as refused:
        read_definition("x.yaml", text.encode())
    return [str(each) for each in refused.value.findings]


def changed(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, textwrap.dedent(new))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_whole(name: str) -> None:
    assert read_definition(name, example(name).encode()).streams


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("path: things", "pth: things", ["4: streams.things.path: is required", "5: streams.things.pth: is not known (did you mean path?)"]),
        ("version: 1", "version: 2", ["1: version: should be 1"]),
        ("https://api.example/v1", "ftp://api.example", ["2: base_url: is refused: 'ftp://api.example' is refused"]),
        ("https://api.example/v1", "https://u:p@api.example", ["2: base_url: is refused: 'https://api.example' is refused"]),
        ("https://api.example/v1", "https://api.example?a=b", ["2: base_url: is refused: it has a query"]),
        ("display_name: \"{record.name}\"", "display_name: {record.name}", ["9: streams.things.item.display_name: is refused: a text is due: put what begins with { in quotes"]),
        ("{record.name}", "{record.name | lowr}", ["9: streams.things.item.display_name: is refused: 'lowr' is no function (did you mean lower?)"]),
        ("{record.name}", "{secret}", ["9: streams.things.item.display_name: is refused: there is no 'secret' here"]),
        ("{record.name}", "{credential}", ["9: streams.things.item.display_name: is refused: there is no 'credential' here"]),
        ("{record.name}", "{parent.name}", ["9: streams.things.item.display_name: there is no parent"]),
        ("{record.name}", "{values.org}", ["9: streams.things.item.display_name: values.org is not among the values"]),
        ("path: things", "path: ../admin", ["5: streams.things.path: it is below base_url"]),
        ("path: things", "path: things?key=1", ["5: streams.things.path: it is below base_url"]),
        ("path: things", "path: \"{since}/things\"", ["4: streams.things: {since} is there only"]),
        ("path: things", "path: things\n    path: others", ["6: streams.things.path: is there twice, first on line 5"]),
        ("path: things", "path: things\n    parent: nobody", ["6: streams.things.parent: there is no stream 'nobody'"]),
        ("path: things", "path: things\n    parent: things", ["6: streams.things.parent: more than 3 streams"]),
        ("path: things", "path: things\n    skip: [401]", ["6: streams.things.skip.0: is refused: 401 says"]),
        ("path: things", "path: things\n    records: data", ["6: streams.things.records: is refused: there is no 'data' here, only body"]),
        ("path: things", "path: things\n    incremental: {}", ["6: streams.things.incremental: it needs {since}"]),
        ("path: things", "path: things\n    pagination: {type: cursor, param: c}", ["6: streams.things.pagination: is refused: cursor needs next"]),
        ("path: things", "path: things\n    pagination: {type: link, param: c}", ["6: streams.things.pagination: is refused: param has no meaning for link"]),
        ("path: things", "path: things\n    pagination: {type: pages}", ["6: streams.things.pagination.type: should be 'none', 'link'"]),
        ("version: 1", "version: 1\ndeletes: listed", []),
        ("version: 1", "version: 1\nauth: {type: header}", ["2: auth: is refused: header needs header"]),
        ("version: 1", "version: 1\nauth: {type: bearer, param: x}", ["2: auth: is refused: param has no meaning for bearer"]),
        ("version: 1", "version: 1\nauth: {type: bearer, token: abc}", ["2: auth.token: is not known"]),
        ("version: 1", "version: 1\nheaders: {Authorization: x}", ["2: headers: is refused: Authorization would be a secret in clear"]),
        ("version: 1", "version: 1\nheaders: {X-Who: \"Bearer abcdefghij\"}", ["2: headers: is refused: X-Who would be a secret"]),
        ("version: 1", "version: 1\nheaders: {Host: evil.example}", ["2: headers.Host.[key]: is refused: the header 'Host' may not be set"]),
        ("version: 1", "version: 1\nbig: &a [x, x]\nbomb: [*a, *a]", ["2: the anchor &a", "3: the alias *a"]),
    ],
    ids=lambda value: value[:40].replace("\n", " ") if isinstance(value, str) else "",
)  # fmt: skip
def test_a_fault_is_told_with_its_line(old: str, new: str, said: list[str]) -> None:
    if not said:
        read_definition("x.yaml", changed(old, new).encode())
        return

    found = told(changed(old, new))

    assert [each[: len(f"x.yaml:{due}")] for each, due in zip(found, said, strict=True)] == [
        f"x.yaml:{due}" for due in said
    ]


def test_every_fault_is_told_at_once() -> None:
    found = told(WHOLE.replace("path: things", "pth: things").replace("{record.name}", "{nothing.name}"))

    assert len(found) == 3


@pytest.mark.parametrize("text", ["- a\n- b\n", "just a text\n", "1\n"])
def test_what_is_no_mapping_is_told_what_is_due(text: str) -> None:
    assert told(text) == ["x.yaml:1: a mapping is due, with version, base_url and streams"]


def test_a_credential_goes_nowhere_unencrypted() -> None:
    plain = WHOLE.replace("https://", "http://")
    proven = plain.replace("version: 1", "version: 1\nauth: {type: bearer}")

    assert read_definition("x", plain.encode()).base_url.startswith("http://")
    assert told(proven) == [
        "x.yaml:3: base_url: is not encrypted: a credential goes to https only, or to a private address"
    ]
    assert read_definition("x", proven.replace("api.example", "127.0.0.1:80").encode())
    tokens = "version: 1\nauth: {type: oauth2, token_url: 'http://a.example/t'}"
    assert [each[:24] for each in told(WHOLE.replace("version: 1", tokens))] == ["x.yaml:2: auth.token_url"]


def test_a_list_by_page_number_cannot_say_what_is_gone() -> None:
    paged = changed("path: things", "path: things\n    pagination: {type: page, param: p}")

    assert read_definition("x", paged.encode())
    assert told(paged.replace("version: 1", "version: 1\ndeletes: listed"))[0].startswith(
        "x.yaml:7: streams.things.pagination: a list by page number may skip"
    )


def test_two_streams_do_not_name_their_items_alike() -> None:
    others = WHOLE + WHOLE.partition("streams:\n")[2].replace("  things:", "  others:")

    (found,) = told(others)
    assert found.startswith("x.yaml:14: streams.others.item.external_id: is that of things")


@pytest.mark.parametrize(
    "content",
    [
        b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*a, *a]\n" % (98 + n, 98 + n) for n in range(20)),
        b"[" * 20_000,
        b"{" * 20_000,
        b"x" * (LARGEST + 1),
        WHOLE.encode() + b"".join(b"  s%d: {path: x}\n" % n for n in range(1000)),
        WHOLE.replace("{record.name}", "{record.a" + " | lower" * 100 + "}").encode(),
    ],
    ids=["aliases", "lists", "mappings", "large", "streams", "functions"],
)
def test_a_bomb_costs_little(content: bytes) -> None:
    begun = time.process_time()

    with pytest.raises(DefinitionRefused):
        read_definition("bomb.yaml", content)

    assert time.process_time() - begun < 5


def test_a_file_is_read_only_where_the_operator_allows(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "x.yaml").write_text(WHOLE)
    (tmp_path / "ours" / "x.yaml").write_text(WHOLE)
    (tmp_path / "ours" / "link.yaml").symlink_to(tmp_path / "x.yaml")
    permits = Permits("acme", (tmp_path / "ours",))

    assert permitted_definition(str(tmp_path / "ours" / "x.yaml"), permits).version == 1
    for outside in (tmp_path / "x.yaml", tmp_path / "ours" / ".." / "x.yaml", tmp_path / "ours" / "link.yaml"):
        with pytest.raises(Fatal, match="may not read"):
            permitted_definition(str(outside), permits)
    with pytest.raises(ValidationFailure, match="there is no file"):
        permitted_definition(str(tmp_path / "ours"), permits)


def inline(**more: Any) -> dict[str, Any]:
    return {"definition": read_definition("x", WHOLE.encode()).model_dump(exclude_unset=True), **more}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "give one of definition and file"),
        (inline(file="/x.yaml"), "give one of definition and file"),
        ({"file": "x.yaml"}, "it is not an absolute path"),
        (inline(values={"org": "acme"}), "the definition knows no values org"),
        (inline(base_url="file:///etc"), "it is not an http or https address"),
        ({"definition": {"version": 1}}, "definition.base_url is required"),
    ],
)
def test_what_an_endpoint_says_is_checked(config: dict[str, Any], said: str) -> None:
    assert said in "; ".join(map(str, faults(RestConnector, config)))


def test_an_endpoint_gives_the_values_that_its_definition_asks_for() -> None:
    config = inline()
    config["definition"] = {**config["definition"], "values": {"org": "whose"}}

    assert "the definition asks for values: org" in str(faults(RestConnector, config)[0])
    assert faults(RestConnector, {**config, "values": {"org": "acme"}}) == []


def test_within_a_file_of_endpoints_a_fault_of_a_definition_has_its_own_line() -> None:
    written = textwrap.indent(WHOLE, " " * 8)
    text = f"endpoints:\n  shop:\n    connector: rest\n    config:\n      definition:\n{written}"

    assert (
        read_manifest("e.yaml", text.encode(), Scope("acme", "main")).endpoints[0].config["definition"]["version"] == 1
    )
    with pytest.raises(ManifestRefused) as refused:
        read_manifest("e.yaml", text.replace("path: things", "pth: things").encode(), Scope("acme", "main"))
    assert "e.yaml:10: endpoints.shop.config.definition.streams.things.pth: is not known (did you mean path?)" in str(
        refused.value
    )


@pytest.mark.req("HV-42")
def test_the_pace_of_a_definition_is_that_of_its_client() -> None:
    rate = policy(Rate(requests=30, seconds=60, burst=5)).rate

    assert rate
    assert (rate.per_second, rate.burst) == (0.5, 5)
    assert policy(None).rate is None


@pytest.mark.parametrize("part", [Definition, Auth, Rate, Limits, Stream, Pagination, Incremental, Mapping])
def test_the_page_tells_of_every_field(part: type[BaseModel]) -> None:
    page = PAGE.read_text()

    assert [name for name in part.model_fields if not re.search(rf"`[^`]*\b{name}\b[^`]*`", page)] == []


def test_the_page_tells_of_every_function() -> None:
    assert [name for name in FUNCTIONS if not re.search(rf"`{name}[`(]", PAGE.read_text())] == []


def test_a_definition_comes_back_from_its_endpoint_as_it_was() -> None:
    kept = configured(RestConnector, inline()).model_dump(mode="json", exclude_unset=True)

    assert configured(RestConnector, kept) == configured(RestConnector, inline())


def test_an_unknown_field_within_a_definition_is_told_with_what_was_meant() -> None:
    config = inline()
    config["definition"]["streams"]["things"]["recrods"] = "body"

    assert str(faults(RestConnector, config)[0]) == (
        "definition.streams.things.recrods is not known (did you mean records?)"
    )
