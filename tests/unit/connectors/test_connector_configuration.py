"""A configuration is typed, told wrong all at once, and nothing that looks like a secret is repeated."""

import json
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from windrow.connectors import describe
from windrow.connectors.configuration import Fault, configured, faults, parse_pairs
from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec
from windrow.contracts.errors import ValidationFailure


class Order(StrEnum):
    OLDEST = "oldest"
    NEWEST = "newest"


class ShopConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: str = Field(description="Where it is.")
    pages: int = Field(10, ge=1, le=99, description="How many.")
    include: tuple[str, ...] = Field((), description="Which ones.")
    numbers: list[int] = Field(default_factory=list, description="Which numbers.")
    order: Order = Field(Order.OLDEST, description="In which order.")
    drafts: bool = Field(False, description="Drafts too.")
    limit: float | None = Field(None, gt=0, description="How fast.")
    extra: dict[str, Any] = Field({}, description="What else.")
    webhook_secret: str = Field("", max_length=3, description="What ought not to be here.")

    @field_validator("url")
    @classmethod
    def _http(cls, value: str) -> str:
        if not value.startswith("http"):
            raise ValueError(f"{value} is no address")
        return value

    @model_validator(mode="after")
    def _agree(self) -> "ShopConfig":
        if self.drafts and self.order is Order.NEWEST:
            raise ValueError("drafts come oldest first")
        return self


class Shop(Connector[ShopConfig]):
    spec = ConnectorSpec(name="shop", version="1", title="A shop", source_system="shop", config=ShopConfig)


URL = {"url": "http://a.example"}


def refused(pairs: list[str], **options: Any) -> str:
    with pytest.raises(ValidationFailure) as raised:
        parse_pairs(Shop, pairs, **options)
    assert "windrow connectors show shop" in str(raised.value.hint)
    return raised.value.message


def test_what_is_given_is_typed_by_the_model() -> None:
    config = configured(Shop, {**URL, "pages": "12", "order": "newest"})

    assert isinstance(config, ShopConfig)
    assert (config.pages, config.order) == (12, Order.NEWEST)


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(ValidationFailure) as raised:
        configured(Shop, {"pages": 100, "order": "random", "inclde": [], "numbers": ["x"], "limit": -1})

    told = raised.value.message
    assert "url is required" in told
    assert "pages should be less than or equal to 99" in told
    assert "order should be 'oldest' or 'newest'" in told
    assert "inclde is not known (did you mean include?)" in told
    assert "numbers.0 should be a valid integer" in told
    assert "limit should be greater than 0" in told


def test_a_fault_of_the_whole_has_no_field() -> None:
    assert faults(Shop, {**URL, "drafts": True, "order": "newest"}) == [
        Fault("", "is refused: drafts come oldest first")
    ]
    with pytest.raises(ValidationFailure, match=r"is wrong: drafts come oldest first$"):
        configured(Shop, {**URL, "drafts": True, "order": "newest"})


@pytest.mark.req("HV-3")
def test_a_value_that_looks_like_a_secret_is_not_repeated() -> None:
    with pytest.raises(ValidationFailure) as raised:
        configured(Shop, {"url": "ftp://anna:hunter2222@a.example", "webhook_secret": "hunter3333"})

    assert "hunter" not in raised.value.message
    assert raised.value.__context__ is None, "the library's error carries the values"


@pytest.mark.req("HV-3")
def test_a_word_that_is_no_pair_is_not_repeated() -> None:
    told = refused(["url=http://a.example", "hunter2222"])

    assert "word 2 is not NAME=VALUE or NAME:=JSON" in told
    assert "hunter" not in told


def test_pairs_become_json_of_the_models_types() -> None:
    words = ["url=http://a.example?q=1", "pages=12", "drafts=yes", "limit=0.5", "order=oldest"]

    assert parse_pairs(Shop, words) == {
        "url": "http://a.example?q=1",
        "pages": 12,
        "drafts": True,
        "limit": 0.5,
        "order": "oldest",
    }


def test_a_list_is_given_with_commas_or_by_repeating_or_as_json() -> None:
    words = ["url=http://a", "include=*.py, *.md", "include=a", 'include:=["x,y"]', "numbers=1,2"]

    assert parse_pairs(Shop, words) == {"url": "http://a", "include": ["*.py", "*.md", "a", "x,y"], "numbers": [1, 2]}


def test_structures_are_given_as_json() -> None:
    assert parse_pairs(Shop, ["url=http://a", 'extra:={"a": [1]}'])["extra"] == {"a": [1]}
    assert "extra needs JSON" in refused(["url=http://a", "extra=x"])


def test_every_wrong_word_is_told_with_every_wrong_field() -> None:
    told = refused(["=x", ":=1", "pages:={", "order=oldest", "order=newest", "limt=3"])

    assert told.count("is not NAME=VALUE") == 2
    assert "pages is not JSON at character 2" in told
    assert "order is given twice" in told
    assert "limt is not known (did you mean limit?)" in told
    assert "url is required" in told


def test_pairs_change_a_configuration_that_is_there() -> None:
    before = {**URL, "pages": 12, "include": ["a"]}

    assert parse_pairs(Shop, ["include=b", "pages:=13"], over=before) == {**URL, "pages": 13, "include": ["b"]}
    assert before["pages"] == 12


def test_json_that_is_too_deep_is_refused() -> None:
    assert "extra is not JSON" in refused(["url=http://a", f"extra:={'[' * 100_000}"])


@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_words_give_a_configuration_or_one_refusal(words: list[str]) -> None:
    try:
        config = parse_pairs(Shop, ["url=http://a.example", *words])
    except ValidationFailure:
        return
    assert json.loads(json.dumps(config)) == config


def test_the_fields_are_described_from_the_model() -> None:
    told = {field.name: field for field in describe.fields(Shop)}

    assert {name: field.kind for name, field in told.items()} == {
        "url": "text",
        "pages": "whole number, 1 to 99",
        "include": "list of text",
        "numbers": "list of whole number",
        "order": "one of oldest, newest",
        "drafts": "yes or no",
        "limit": "number, above 0",
        "extra": "JSON object",
        "webhook_secret": "text",
    }
    assert [name for name, field in told.items() if field.required] == ["url"]
    assert (told["pages"].default, told["numbers"].default, told["order"].default) == (10, [], "oldest")
    assert told["order"].choices == ("oldest", "newest")
    assert told["url"].help == "Where it is."


def test_a_configuration_that_json_cannot_describe_is_told_as_such() -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        thing: Connector[Any]

    class OddShop(Shop):
        spec = ConnectorSpec(name="odd", version="1", title="Odd", source_system="odd", config=Odd)

    with pytest.raises(Exception, match="cannot be described"):
        describe.fields(OddShop)
