"""As much of CQL as is needed, and refused as Confluence refuses what it cannot parse."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.fakes.confluence.wiki import Content, Wiki

_ORDER = re.compile(r"\s+order\s+by\s+(created|lastmodified)(?:\s+(asc|desc))?\s*$", re.IGNORECASE)
_CLAUSE = re.compile(
    r'(id|type|space|lastmodified)\s*(in|=|>=)\s*(\([^)]*\)|"[^"]*"|[^\s"()]+)\s*(?:and\s+|$)', re.IGNORECASE
)


class Unparsable(Exception):
    """What Confluence answers with 400."""


Holds = Callable[[Content], bool]


def found(wiki: Wiki, cql: str, zone: ZoneInfo) -> list[Content]:
    """What a query finds, in its order. A date has minutes and no zone: it is read as the account's."""
    order = _ORDER.search(cql)
    clauses = _parsed(cql[: order.start()] if order else cql)
    conditions = [*(_condition(wiki, *clause, zone) for clause in clauses), wiki.searchable]
    hits = [each for each in wiki.contents.values() if all(holds(each) for holds in conditions)]
    by_change = order is not None and order[1].lower() == "lastmodified"
    return sorted(hits, key=lambda each: (wiki.modified_by_search(each) if by_change else each.created, each.number))


def _parsed(text: str) -> list[tuple[str, str, set[str]]]:
    clauses, at = [], 0
    while at < len(text):
        clause = _CLAUSE.match(text, at)
        if clause is None:
            raise Unparsable(f"Could not parse cql : {text}")
        values = {each.strip().strip('"') for each in clause[3].strip("()").split(",")}
        clauses.append((clause[1].lower(), clause[2].lower(), values))
        at = clause.end()
    return clauses


def _condition(wiki: Wiki, field: str, operator: str, values: set[str], zone: ZoneInfo) -> Holds:
    match field, operator:
        case "id", "=" | "in":
            return lambda content: content.id in values
        case "type", "=" | "in":
            return lambda content: content.type in values
        case "space", "=" | "in":
            return lambda content: content.space in values
        case "lastmodified", ">=":
            begins = _moment(min(values), zone)
            return lambda content: wiki.modified_by_search(content) >= begins
        case _:
            raise Unparsable(f"{operator} is not known for {field} here")


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=zone).astimezone(UTC)
    except ValueError:
        raise Unparsable(f"Could not parse date : {text}") from None
