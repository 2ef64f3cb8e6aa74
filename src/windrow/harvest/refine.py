"""Step 4: a page's items, checked against the contract, become the rows of a batch.

A page is parsed in portions; only an item that is not plain is looked at more closely (`harvest.scrutiny`), which takes
ten times as long, and only what is wrong stays behind.

A row is the item's canonical JSON, made once: it is what the hash covers, and what the outbox carries.
"""

import asyncio
import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import TOMBSTONE_HASH, Identity, canonical, content_hash
from windrow.contracts.item import DEEPEST_ATTRIBUTES, Item
from windrow.contracts.page import Refused, Transformed
from windrow.contracts.quarantine import Reason, Why
from windrow.harvest import scrutiny

_UNSTATED = Reason(why=Why.TRANSFORM, path="", message="the connector gave no reason")
# about a millisecond
_PORTION = 64
_NUL = rb"\u0000"
# nineteen digits may be a number beyond 64 bits; to look for a run of one digit is five times as fast as to look for digits
_LONG_NUMBER = re.compile(rb"[:,[]-?[0-9]{19}")
_AS_ZEROS, _ZEROS = bytes.maketrans(b"123456789", b"0" * 9), b"0" * 19
_MALFORMED = (msgspec.ValidationError, msgspec.DecodeError, UnicodeError, TypeError, OverflowError, RecursionError)


@dataclass(slots=True)
class Refined:
    """What a page came to."""

    rows: list[bytes] = field(default_factory=list)
    item_ids: list[str] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    relations: int = 0
    tombstones: int = 0
    repeats: int = 0
    refused: list[Refused] = field(default_factory=list)


def refine(transformed: Transformed, identity: Identity) -> Refined:
    """The rows of a page; of an item that comes twice, the last one counts."""
    steps = _refining(transformed, identity)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast("Refined", done.value)


async def refine_in_turns(transformed: Transformed, identity: Identity) -> Refined:
    """The same, letting others have their turn: the page before is being published meanwhile, in many short steps."""
    steps = _refining(transformed, identity)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast("Refined", done.value)
        await asyncio.sleep(0)


def _refining(transformed: Transformed, identity: Identity) -> Generator[None, None, Refined]:
    if len(transformed.items) != len(transformed.places):
        raise ValidationFailure(
            f"the connector gave {len(transformed.items)} items for {len(transformed.places)} places",
            code=Code.INVALID,
            hint="`transform` gives each item the place of its record",
        )
    checked: list[tuple[Item, bytes]] = []
    refused: list[Refused] = []
    for begin in range(0, len(transformed.items), _PORTION):
        portion = slice(begin, begin + _PORTION)
        good, bad = _checked(transformed.items[portion], transformed.places[portion])
        checked += good
        refused += bad
        yield
    refined = _rows(checked, identity)
    refined.refused = [*map(_stated, transformed.refused), *refused]
    return refined


def _stated(refused: Refused) -> Refused:
    """A connector's own refusal, with a name that can be kept or none, and with at least one reason."""
    named = refused.external_id if scrutiny.nameable(refused.external_id) else None
    return msgspec.structs.replace(refused, external_id=named, reasons=refused.reasons or (_UNSTATED,))


def _checked(
    items: Sequence[Item | dict[str, Any]], places: Sequence[int]
) -> tuple[list[tuple[Item, bytes]], list[Refused]]:
    """The items that keep the contract, each with its canonical JSON, and the refusals of the others."""
    whole = _parsed(items)
    plain = [_plain(item) for item in whole] if whole else []
    if whole and None not in plain:
        return cast("list[tuple[Item, bytes]]", plain), []
    checked: list[tuple[Item, bytes]] = []
    refused: list[Refused] = []
    for number, (given, place) in enumerate(zip(items, places, strict=True)):
        found = (plain[number] if whole else _alone(given)) or scrutiny.examine(given)
        if isinstance(found, list):
            refused.append(Refused(index=place, reasons=tuple(found), external_id=scrutiny.external_id(given)))
        else:
            checked.append(found)
    return checked, refused


def _parsed(items: Sequence[Item | dict[str, Any]]) -> list[Item] | None:
    """All of them at once, or None if one does not keep the contract."""
    try:
        # an Item that the connector made itself has not been checked by anybody: only what is read from JSON is
        if any(isinstance(item, Item) for item in items):
            return msgspec.json.decode(msgspec.json.encode(items), type=list[Item])
        return msgspec.convert(items, list[Item])
    except _MALFORMED:
        return None


def _alone(given: Item | dict[str, Any]) -> tuple[Item, bytes] | None:
    parsed = _parsed([given])
    return _plain(parsed[0]) if parsed else None


def _plain(item: Item) -> tuple[Item, bytes] | None:
    """The item with its canonical JSON, unless it needs a closer look."""
    try:
        content = canonical(scrutiny.in_order(item))
    except _MALFORMED:
        return None
    return (item, content) if _is_plain(item, content) else None


def _is_plain(item: Item, content: bytes) -> bool:
    """Small, flat, and without what Postgres cannot hold: nothing that would need a closer look."""
    # objects and lists in turn are levels as well; those of relations are known to be flat
    levels = content.count(b"{") + content.count(b"[") - len(item.relations)
    return (
        len(content) < scrutiny.SMALL
        and levels <= DEEPEST_ATTRIBUTES
        and _NUL not in content
        and not (_ZEROS in content.translate(_AS_ZEROS) and _LONG_NUMBER.search(content))
    )


def _rows(checked: list[tuple[Item, bytes]], identity: Identity) -> Refined:
    refined = Refined()
    named = [identity.item_id(item.external_id) for item, _ in checked]
    last = {item_id: place for place, item_id in enumerate(named)}
    for place, ((item, content), item_id) in enumerate(zip(checked, named, strict=True)):
        if last[item_id] != place:
            refined.repeats += 1
            continue
        known_as = TOMBSTONE_HASH if item.deleted else content_hash(content)
        refined.rows.append(
            b'%b,"content_hash":"%b","item_id":"%b"%b}'
            % (content[:-1], known_as.encode(), item_id.encode(), _targets(item, identity))
        )
        refined.item_ids.append(item_id)
        refined.hashes.append(known_as)
        refined.relations += len(item.relations)
        refined.tombstones += item.deleted
    return refined


def _targets(item: Item, identity: Identity) -> bytes:
    """Whom each relation means, by id, in the order of the relations."""
    if not item.relations:
        return b""
    return b',"targets":' + msgspec.json.encode([identity.item_id(relation.target) for relation in item.relations])
