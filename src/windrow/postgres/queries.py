"""Named queries: SQL lives in `.sql` files beside its caller.

    -- put_expected: write only over the version that the caller has seen
    UPDATE …;

A name, a colon and the reason begin a query; it goes on to the next name. `Q = load(__package__)` then gives `Q.put_expected`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files

# after an empty line only: a comment inside a query may begin with a word and a colon too
_HEADING = re.compile(r"(?:\A|(?<=\n\n))-- (?P<name>[a-z][a-z0-9_]*): (?P<reason>\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Query:
    """One statement with its name and the reason why it is there."""

    name: str
    reason: str
    text: bytes


class Queries:
    """The queries of one file, as attributes."""

    def __init__(self, source: str, text: str) -> None:
        self._source = source
        self._queries = {query.name: query for query in _parse(source, text)}

    def __getattr__(self, name: str) -> Query:
        try:
            return self._queries[name]
        except KeyError:
            raise AttributeError(f"{self._source} has no query {name!r}") from None

    def __iter__(self) -> Iterator[Query]:
        return iter(self._queries.values())


def _parse(source: str, text: str) -> list[Query]:
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    parsed = [
        Query(heading["name"], heading["reason"], text[heading.end() : end].strip().rstrip(";").encode())
        for heading, end in zip(headings, ends, strict=True)
    ]
    names = [query.name for query in parsed]
    if not parsed or len(set(names)) != len(names) or not all(query.text for query in parsed):
        raise ValueError(f"{source}: no query, an empty one, or a name twice: {names}")
    return parsed


def load(package: str, file: str = "queries.sql") -> Queries:
    """The named queries of a file in the package."""
    return Queries(f"{package}/{file}", files(package).joinpath(file).read_text("utf-8"))


def uuid_array(ids: Iterable[str]) -> str:
    """Ids as the literal of an array, for a parameter that is cast to uuid[]: the driver's own way takes ten times as long."""
    return "{" + ",".join(ids) + "}"
