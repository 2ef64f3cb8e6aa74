"""The `Link` header: where the next page is."""

import re
from collections.abc import Iterator
from itertools import islice

import httpx2

from windrow.contracts.errors import ValidationFailure
from windrow.http.urls import joined

# a page has a handful of links; thousands are there to keep us busy
MOST = 100
_TARGET = re.compile(r"<([^<>]*)>")
_PARAMETER = re.compile(r';\s*([A-Za-z0-9*!#$&+.^_`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]*)')


def links(header: str, base: httpx2.URL) -> dict[str, str]:
    """Each relation with the address it leads to; the first of a kind wins, what cannot be read is left out."""
    found: dict[str, str] = {}
    for target, relations in islice(_parsed(header), MOST):
        try:
            address = str(joined(base, target))
        except ValidationFailure:
            continue
        for relation in relations:
            found.setdefault(relation.lower(), address)
    return found


def _parsed(header: str) -> Iterator[tuple[str, list[str]]]:
    position = 0
    while target := _TARGET.search(header, position):
        position = target.end()
        relations: list[str] = []
        while parameter := _PARAMETER.match(header, _past_blanks(header, position)):
            position = parameter.end()
            if parameter[1].lower() == "rel" and not relations:
                relations = parameter[2].strip('"').split()
        if relations:
            yield target[1], relations


def _past_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position
