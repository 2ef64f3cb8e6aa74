"""Which streams are wanted, said in every way that taps listen to."""

import json
from typing import Any

import pytest
from tests.fakes.singer import stream

from windrow.connectors.singer.catalog import Chosen, choose
from windrow.connectors.singer.config import SingerConfig
from windrow.contracts.errors import ValidationFailure


def chosen(offered: list[dict[str, Any]], **config: Any) -> tuple[Chosen, dict[str, Any]]:
    found = choose(json.dumps({"streams": offered}).encode(), SingerConfig(tap="t", **config))
    return found, {each["tap_stream_id"]: each for each in json.loads(found.document)["streams"]}


def about(entry: dict[str, Any], *breadcrumb: str) -> dict[str, Any]:
    (found,) = [each["metadata"] for each in entry["metadata"] if each["breadcrumb"] == list(breadcrumb)]
    return dict(found)


def test_a_stream_is_selected_in_its_metadata_and_as_the_first_taps_had_it() -> None:
    _, told = chosen([stream("a"), stream("b")], streams=["a"])

    for name, wanted in (("a", True), ("b", False)):
        assert about(told[name])["selected"] is wanted
        assert told[name]["selected"] is told[name]["schema"]["selected"] is wanted


def test_of_a_stream_some_fields_can_be_selected_and_its_keys_always_are() -> None:
    entry = stream("a") | {"key_properties": ["id"]}
    entry["schema"] = {"properties": {"id": {}, "name": {}, "body": {}, "odd": {}}}
    entry["metadata"].append({"breadcrumb": ["properties", "odd"], "metadata": {"inclusion": "unsupported"}})

    _, told = chosen([entry], rules={"a": {"fields": ["name", "odd"]}})

    selected = {name: about(told["a"], "properties", name).get("selected") for name in entry["schema"]["properties"]}
    assert selected == {"id": True, "name": True, "body": False, "odd": None}


def test_how_a_stream_is_replicated_can_be_said() -> None:
    _, told = chosen([stream("a")], rules={"*": {"method": "INCREMENTAL", "replication_key": "at"}})

    assert about(told["a"])["replication-method"] == told["a"]["replication_method"] == "INCREMENTAL"
    assert about(told["a"])["replication-key"] == told["a"]["replication_key"] == "at"


def test_only_if_all_of_them_are_given_as_a_whole_the_tap_shows_all_there_is() -> None:
    streams = [stream("a", "FULL_TABLE"), stream("b", "INCREMENTAL"), stream("c")]

    assert chosen(streams, streams=["a"])[0].full
    assert not chosen(streams, streams=["a", "b"])[0].full
    assert not chosen(streams, streams=["a", "c"])[0].full
    assert chosen(streams, streams=["a", "c"], rules={"c": {"method": "FULL_TABLE"}})[0].full


@pytest.mark.parametrize(
    "said", [b"", b"[]", b"{}", b'{"streams": 7}', b'{"streams": [1]}', b'{"streams": [{"stream": "a"}]}', b"[" * 9999]
)
def test_what_is_no_catalog_is_told(said: bytes) -> None:
    with pytest.raises(ValidationFailure, match="is no catalog"):
        choose(said, SingerConfig(tap="t"))


def test_a_tap_without_streams_is_told() -> None:
    with pytest.raises(ValidationFailure, match="no stream that is wanted"):
        chosen([])
