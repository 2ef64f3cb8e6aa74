"""Sources that misbehave, and what must come of each: `CASES`.

Every source has good records as well, `good-000` and so on, before and beside what is wrong. What is wrong with one
record must not keep the others; what is wrong with a page must not undo the pages before it.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.fakes.hostile_connectors import HandedConnector, HostileConfig, HostileConnector, Pages
from tests.fakes.hostile_sources import (
    BAD,
    JSON,
    Record,
    bad,
    chain,
    circular,
    endless,
    good,
    goods,
    nested,
    one_page,
    raises,
    raw,
    served,
    sixty_megabytes,
    sixty_megabytes_served,
    written,
)
from tests.fakes.web import Web, answer

from windrow.connectors.connector import Connector
from windrow.connectors.context import Context
from windrow.contracts.errors import Code, RateLimited, RetryableTransient, ValidationFailure, WindrowError
from windrow.contracts.page import Page
from windrow.contracts.quarantine import Why

__all__ = ["BAD", "CASES", "Broken", "Case", "HandedConnector", "HostileConnector", "Mended", "Quarantined", "Whole"]


@dataclass(frozen=True)
class Mended:
    """The record is published; what could not be stored is as told here, by field."""

    fields: Record


@dataclass(frozen=True)
class Quarantined:
    """The record is kept aside for these reasons, and the others go on."""

    whys: tuple[Why, ...]


@dataclass(frozen=True)
class Broken:
    """The run ends with this error; so many records, of the pages before, are in the catalog."""

    kind: type[WindrowError]
    code: Code
    stands: int = 40


@dataclass(frozen=True)
class Whole:
    """Nothing is wrong in the end: so many good records arrive."""

    good: int


Comes: TypeAlias = Mended | Quarantined | Broken | Whole


@dataclass(frozen=True)
class Case:
    """One way to misbehave: over HTTP (`serve` prepares a server and says where to begin) or in memory (`pages`)."""

    name: str
    comes: Comes
    serve: Callable[[Web], str] | None = None
    pages: Pages | None = None
    # what Postgres cannot hold is handled before it gets there
    unstorable: bool = field(default=False, kw_only=True)

    def connector(self, context: Context, web: Web) -> Connector[Any]:
        """The context's HTTP has to be let through the server's door."""
        if self.serve:
            return HostileConnector(HostileConfig(url=self.serve(web)), context)
        assert self.pages
        return HandedConnector(context, self.pages)


HTML = b"<!doctype html><html><body>Please sign in</body></html>"
CUT = json.dumps({"items": goods(40, 10), "next": None}).encode()[:-40]
INVALID = Broken(ValidationFailure, Code.INVALID)
NO_JSON = Broken(ValidationFailure, Code.INVALID_VALUE)

CASES: tuple[Case, ...] = (
    # what Postgres cannot hold, where it does not name the item: mended
    Case(
        "a NUL in a text",
        Mended({"display_name": "B\ufffdd"}),
        pages=one_page(bad(display_name="B\0d")),
        unstorable=True,
    ),
    Case(
        "a NUL in a text, served",
        Mended({"display_name": "B\ufffdd"}),
        served(raw(written(r'"display_name": "B\u0000d"'))),
        unstorable=True,
    ),
    Case(
        "a NUL in a name of an attribute",
        Mended({"attributes": {"a\ufffdb": 1}}),
        pages=one_page(bad(attributes={"a\0b": 1})),
        unstorable=True,
    ),
    Case(
        "half a surrogate pair in a text",
        Mended({"display_name": "B\ufffdd"}),
        pages=one_page(bad(display_name="B\ud800d")),
        unstorable=True,
    ),
    Case(
        "half a surrogate pair deep inside",
        Mended({"attributes": {"a": [{"b": "\ufffd"}]}}),
        pages=one_page(bad(attributes={"a": [{"b": "\udfff"}]})),
        unstorable=True,
    ),
    Case(
        "NaN and infinity",
        Mended({"attributes": {"a": None, "b": [None, 1.5]}}),
        pages=one_page(bad(attributes={"a": math.nan, "b": [-math.inf, 1.5]})),
        unstorable=True,
    ),
    Case(
        "the largest number that fits",
        Mended({"attributes": {"n": [2**63 - 1, -(2**63)]}}),
        pages=one_page(bad(attributes={"n": [2**63 - 1, -(2**63)]})),
        unstorable=True,
    ),
    Case(
        "a number beyond a double, served",
        Mended({"attributes": {"a": None}}),
        served(raw(written('"attributes": {"a": 1e999}'))),
        unstorable=True,
    ),
    Case(
        "half a surrogate pair, served",
        Mended({"labels": ["\ufffd"]}),
        served(raw(written(r'"labels": ["\ud800"]'))),
        unstorable=True,
    ),
    # … and where it cannot be mended without saying something else: quarantined
    Case(
        "a NUL in what names the item",
        Quarantined((Why.NOT_STORABLE,)),
        pages=one_page(bad(external_id="b\0d")),
        unstorable=True,
    ),
    Case(
        "half a surrogate pair in what names the item",
        Quarantined((Why.NOT_STORABLE,)),
        pages=one_page(bad(external_id="b\udc00d")),
        unstorable=True,
    ),
    Case("2^64", Quarantined((Why.NOT_STORABLE,)), pages=one_page(bad(attributes={"n": 2**64})), unstorable=True),
    Case("2^63", Quarantined((Why.NOT_STORABLE,)), pages=one_page(bad(attributes={"n": 2**63})), unstorable=True),
    Case(
        "2^64, served",
        Quarantined((Why.NOT_STORABLE,)),
        served(raw(written('"attributes": {"n": 18446744073709551616}'))),
        unstorable=True,
    ),
    Case(
        "a thousand digits, served",
        Quarantined((Why.NOT_STORABLE,)),
        served(raw(written(f'"attributes": {{"n": {"9" * 1000}}}'))),
        unstorable=True,
    ),
    # what is no item
    Case("10,000 levels", Quarantined((Why.TOO_DEEP,)), pages=one_page(bad(attributes={"a": nested(10_000)}))),
    Case("20 levels", Quarantined((Why.TOO_DEEP,)), pages=one_page(bad(attributes={"a": nested(20)}))),
    Case(
        "20 levels, served",
        Quarantined((Why.TOO_DEEP,)),
        served(raw(written(f'"attributes": {json.dumps({"a": nested(20)})}'))),
    ),
    Case("something that holds itself", Quarantined((Why.TOO_DEEP,)), pages=one_page(bad(attributes=circular()))),
    Case(
        "bytes where text was due",
        Quarantined((Why.RAW_BLOB,)),
        pages=one_page(bad(attributes={"content": b"\x89PNG" * 2000})),
    ),
    Case(
        "a file in base64",
        Quarantined((Why.RAW_BLOB,)),
        pages=one_page(bad(attributes={"content": "iVBORw0KGgo" * 1000})),
    ),
    Case(
        "many texts that are too much together",
        Quarantined((Why.TOO_LARGE,)),
        pages=one_page(bad(attributes={f"n{place}": "word " * 400 for place in range(40)})),
    ),
    Case(
        "two things wrong at once",
        Quarantined((Why.SCHEMA, Why.SCHEMA)),
        pages=one_page({"entity_type": 7, "external_id": BAD, "display_name": ""}),
    ),
    Case("a field nobody knows", Quarantined((Why.SCHEMA,)), pages=one_page(bad(colour="red"))),
    Case("a record that is none", Quarantined((Why.TRANSFORM,)), pages=one_page(None)),
    Case("a mapping that fails", Quarantined((Why.TRANSFORM,)), pages=one_page(raises(KeyError("title")))),
    Case(
        "a mapping that overflows",
        Quarantined((Why.TRANSFORM,)),
        pages=one_page(raises(OverflowError("timestamp out of range"))),
    ),
    Case(
        "a mapping that goes too deep",
        Quarantined((Why.TRANSFORM,)),
        pages=one_page(raises(RecursionError("maximum depth"))),
    ),
    # JSON allows it, and says nothing about what it means: the last one counts
    Case(
        "a key twice",
        Mended({"display_name": "Second"}),
        served(raw(written('"display_name": "First", "display_name": "Second"'))),
    ),
    # pages that are no pages
    Case("NaN, served", NO_JSON, served(raw(written('"attributes": {"a": NaN}')))),
    Case(
        "10,000 levels, served", NO_JSON, served(raw(written(f'"attributes": {{"a": {"[" * 10_000}{"]" * 10_000}}}')))
    ),
    Case("5,000 digits, served", NO_JSON, served(raw(written(f'"attributes": {{"n": {"9" * 5000}}}')))),
    Case("a million brackets", NO_JSON, served(answer(200, b"[" * 1_000_000, JSON))),
    Case("truncated JSON", NO_JSON, served(answer(200, CUT, JSON))),
    Case("an empty body", NO_JSON, served(answer(200, b"", JSON))),
    Case("bytes that are no UTF-8", NO_JSON, served(answer(200, b'{"items": ["\xff"], "next": null}', JSON))),
    Case("HTML called JSON", NO_JSON, served(answer(200, HTML, JSON))),
    Case(
        "HTML where JSON was due",
        Broken(ValidationFailure, Code.CONTENT_TYPE),
        served(answer(200, HTML, {"content-type": "text/html; charset=utf-8"})),
    ),
    Case(
        "the wrong content type",
        Broken(ValidationFailure, Code.CONTENT_TYPE),
        served(answer(200, CUT, {"content-type": "text/plain"})),
    ),
    Case(
        "an answer that breaks off",
        Broken(RetryableTransient, Code.NETWORK),
        served(answer(200, CUT, {**JSON, "content-length": "99999", "connection": "close"})),
    ),
    Case("Retry-After: -1", Broken(RateLimited, Code.RATE_LIMITED), served(answer(429, b"", {"retry-after": "-1"}))),
    Case(
        "Retry-After: soon", Broken(RateLimited, Code.RATE_LIMITED), served(answer(429, b"", {"retry-after": "soon"}))
    ),
    Case(
        "Retry-After for ever",
        Broken(RateLimited, Code.RATE_LIMITED),
        served(answer(503, b"", {"retry-after": "9" * 40})),
    ),
    # 60 MB
    Case("a page of 60 MB", Whole(400), pages=sixty_megabytes),
    Case("60 MB, served in smaller pages when asked", Whole(400), sixty_megabytes_served(heeds_the_limit=True)),
    Case(
        "60 MB, whatever is asked",
        Broken(ValidationFailure, Code.TOO_LARGE, stands=0),
        sixty_megabytes_served(heeds_the_limit=False),
    ),
    # sources that never end
    Case("a cursor that stands", INVALID, pages=endless(lambda number: [good(40 + number)], lambda _: {"at": 0})),
    Case(
        "a cursor that goes back",
        Broken(ValidationFailure, Code.INVALID, stands=41),
        pages=endless(lambda number: [good(40 + number)], lambda number: {"at": 100 - number}),
    ),
    Case(
        "a cursor that is no JSON",
        INVALID,
        pages=endless(lambda number: [good(40 + number)], lambda number: {"at": number, "x": {1: 2}}),
    ),
    Case(
        "a cursor that is endless",
        INVALID,
        pages=endless(lambda number: [good(40 + number)], lambda number: {"at": number, "x": "x" * 100_000}),
    ),
    Case(
        "a cursor that goes back, served",
        Broken(ValidationFailure, Code.INVALID, stands=10),
        chain(lambda page: {"items": goods(page * 10, 10), "next": page + 1, "at": 9 - page}),
    ),
    Case(
        "a next-link that leads to itself",
        INVALID,
        chain(lambda page: {"items": goods(page * 40), "next": max(page, 1)}),
    ),
    Case(
        "a next-link that leads back",
        Broken(ValidationFailure, Code.INVALID, stands=160),
        chain(lambda page: {"items": goods(page * 40), "next": (page + 1) % 4}),
    ),
    Case("a page that repeats itself for ever", INVALID, chain(lambda page: {"items": goods(), "next": page + 1})),
    Case("empty pages for ever", INVALID, pages=endless(lambda _: [], lambda number: {"at": number})),
    Case(
        "pages that end without a last one",
        INVALID,
        pages=lambda *_: iter([Page(records=goods(), cursor={"at": 1}, position="page 0")]),
    ),
    Case(
        "more bad than good",
        Broken(ValidationFailure, Code.INVALID, stands=0),
        pages=one_page(*(bad(external_id=f"{BAD}-{number}", display_name="") for number in range(9))),
    ),
)
