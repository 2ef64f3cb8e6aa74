"""Pages: counted ones, and those behind a cursor, which alone are given for large lists."""

import base64
import json
from typing import Any

MOST = 100


class Refused(Exception):
    """A page that is not given (422)."""


def page(
    things: list[Any], asked: dict[str, str], *, by_cursor: bool, generation: int
) -> tuple[list[Any], dict[str, str] | None]:
    """The page that is asked for, and what to ask for the next one, if there is one."""
    size = min(max(int(asked.get("per_page", "30")), 1), MOST)
    if "after" in asked:
        begin = _behind(things, asked["after"], asked, generation)
    elif by_cursor and int(asked.get("page", "1")) > 1:
        raise Refused(
            "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)"
        )
    else:
        begin = (max(int(asked.get("page", "1")), 1) - 1) * size
    found = things[begin : begin + size]
    if begin + size >= len(things):
        return found, None
    kept = {name: text for name, text in asked.items() if name not in ("page", "after")}
    number = int(asked.get("page", "1")) + 1
    if by_cursor:
        return found, kept | {"after": _cursor(found[-1], asked, generation), "page": str(number)}
    return found, kept | {"page": str(number)}


def _key(thing: Any, asked: dict[str, str]) -> list[Any]:
    at = thing.updated if asked.get("sort") == "updated" else thing.created
    return [at.timestamp(), thing.number]


def _cursor(thing: Any, asked: dict[str, str], generation: int) -> str:
    return base64.b64encode(json.dumps([generation, *_key(thing, asked)]).encode()).decode()


def _behind(things: list[Any], cursor: str, asked: dict[str, str], generation: int) -> int:
    """Where the list goes on: a cursor names a place in the order, whatever became of what stood there."""
    try:
        made, *place = json.loads(base64.b64decode(cursor))
    except ValueError:
        raise Refused("Invalid cursor") from None
    if made != generation:
        raise Refused("The cursor has expired")
    down = asked.get("direction", "desc") == "desc"
    passed = [(_key(each, asked) >= place) if down else (_key(each, asked) <= place) for each in things]
    return sum(passed)
