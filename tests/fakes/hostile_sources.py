"""What hostile sources send: in memory as pages, over HTTP as bytes. `hostile.CASES` says what must come of it."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.hostile_connectors import Pages
from tests.fakes.web import Answer, Exchange, Web, answer

from windrow.contracts.page import Cursor, Page

JSON = {"content-type": "application/json"}
BAD = "bad"
Record = dict[str, Any]


def good(number: int, **more: Any) -> Record:
    return {"entity_type": "thing", "external_id": f"good-{number:03}", "display_name": f"Good {number}", **more}


def bad(**fields: Any) -> Record:
    return {"entity_type": "thing", "external_id": BAD, "display_name": "Bad", **fields}


def goods(first: int = 0, count: int = 40) -> list[Record]:
    return [good(number) for number in range(first, first + count)]


# ── in memory ──


def one_page(*records: Any) -> Pages:
    """A single page of good records with these among them."""

    def pages(_cursor: Cursor, _page_size: int) -> Iterator[Page]:
        yield Page(records=[*goods(0, 20), *records, *goods(20, 20)], cursor=None, position="the page", last=True)

    return pages


def endless(content: Callable[[int], list[Any]], cursor: Callable[[int], Cursor]) -> Pages:
    """A good page, and behind it pages for ever."""

    def pages(start: Cursor, _page_size: int) -> Iterator[Page]:
        if start is None:
            yield Page(records=goods(), cursor={"at": 0}, position="page 0")
        for number in itertools.count(1):
            yield Page(records=content(number), cursor=cursor(number), position=f"page {number}")

    return pages


def nested(depth: int) -> Any:
    inner: Any = "the bottom"
    for level in range(depth):
        inner = {"in": inner} if level % 2 else [inner]
    return inner


def circular() -> Record:
    around: Record = {}
    around["again"] = around
    return around


def large(number: int) -> Record:
    """A record of some 150 KB with nothing wrong in it: 400 are 60 MB."""
    names = [f"{number:03}-{place:03} " + "n" * 240 for place in range(200)]
    notes = {f"note {place:02}": f"{place} " + "a word " * 140 for place in range(50)}
    return good(number, owners=names, labels=names, attributes=notes)


def sixty_megabytes(_cursor: Cursor, _page_size: int) -> Iterator[Page]:
    yield Page(records=[large(number) for number in range(400)], cursor=None, position="60 MB", last=True)


def raises(error: Exception) -> Record:
    def make() -> Any:
        raise error

    return bad(make=make)


# ── over HTTP ──


def served(*answers: Answer) -> Callable[[Web], str]:
    """A page of good records, and behind it a page that is answered like this, again and again."""

    def serve(web: Web) -> str:
        web.on("/", answer(200, {"items": goods(), "next": web.url("/bad"), "at": 1}))
        web.on("/bad", *answers)
        return web.url("/")

    return serve


def raw(record: str) -> bytes:
    """A page with one record, written out as it is."""
    before, after = json.dumps(goods(40, 10))[1:-1], json.dumps(goods(50, 10))[1:-1]
    return answer(200, f'{{"items": [{before}, {record}, {after}], "next": null}}'.encode(), JSON)


def written(extra: str) -> str:
    """A bad record as JSON text, with more text in it."""
    return f'{{"entity_type": "thing", "external_id": "{BAD}", "display_name": "Bad", {extra}}}'


def chain(follow: Callable[[int], dict[str, Any]]) -> Callable[[Web], str]:
    """Pages by number, each with whatever follows it; `next` is a number as well."""

    def serve(web: Web) -> str:
        async def page(exchange: Exchange) -> None:
            number = int(parse_qs(urlsplit(exchange.request.target).query)["page"][0])
            body = follow(number)
            after = body.get("next")
            body["next"] = None if after is None else web.url(f"/chain?page={after}")
            await exchange.send(answer(200, body))

        web.on("/chain", page)
        return web.url("/chain?page=0")

    return serve


def sixty_megabytes_served(*, heeds_the_limit: bool) -> Callable[[Web], str]:
    """400 records of 150 KB; in pages of the size that is asked for, or all at once whatever is asked."""

    def serve(web: Web) -> str:
        everything = [json.dumps(large(number)).encode() for number in range(400)]

        async def page(exchange: Exchange) -> None:
            asked = parse_qs(urlsplit(exchange.request.target).query)
            start, limit = int(asked.get("start", ["0"])[0]), int(asked["limit"][0])
            end = start + (limit if heeds_the_limit else 400)
            after = json.dumps(web.url(f"/large?start={end}") if end < 400 else None).encode()
            body = b'{"items": [%b], "next": %b, "at": %d}' % (b",".join(everything[start:end]), after, end)
            await exchange.send(answer(200, body, JSON))

        web.on("/large", page)
        return web.url("/large")

    return serve
