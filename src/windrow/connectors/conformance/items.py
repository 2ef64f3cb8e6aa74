"""Checks of items: that they keep the contract, and are the same each time."""

import reprlib
from typing import Any

import msgspec

from windrow.connectors.conformance.candidate import Candidate, Compared
from windrow.connectors.conformance.contract import reasons
from windrow.connectors.conformance.paging import differing
from windrow.connectors.conformance.reading import Read, seen
from windrow.connectors.conformance.result import Failed, Skipped
from windrow.contracts.page import Page, Transformed

# what no source means: a mapping of foreign data has to survive each of them
MALFORMED: tuple[Any, ...] = (None, {}, [], "", 0, {"\0": object}, b"\xff", "[" * 100_000)


async def contract(candidate: Candidate) -> str:
    """Every item keeps the contract; all reasons are told."""
    wrong = [
        f"{name[:80]}: {reason}"
        for each in candidate.first
        for item, name in zip(each.turned.items, (seen.external_id for seen in each.items), strict=True)
        for reason in reasons(item)
    ]
    refused = [reason.message for each in candidate.first for one in each.turned.refused for reason in one.reasons]
    if wrong:
        more = f" … {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise Failed("; ".join(wrong[:5]) + more, "docs/reference/normalized-item.md has the contract")
    count = sum(len(each.items) for each in candidate.first)
    return f"{count} items" + (f"; {len(refused)} records were refused: {refused[0]}" if refused else "")


async def deterministic(candidate: Candidate) -> str:
    """Two passes over an unchanged source give the same ids and the same hashes."""
    again = await candidate.read()
    once, twice = candidate.state(candidate.first), candidate.state(again)
    if once != twice:
        candidate.compared = Compared.IDS if once.keys() == twice.keys() else Compared.NOTHING
        raise Failed(
            f"fetched twice, unchanged, and different: {differing(once, twice)}",
            "an item says what the source says: nothing of when it was asked, and lists in an order of their own",
        )
    return f"{len(once)} items, the same ids and hashes twice"


async def transform(candidate: Candidate) -> str:
    """Every record becomes an item or a refusal, and a malformed one costs none of the others."""
    page = next((each for each in candidate.first if each.page.records), None)
    if page is None:
        raise Skipped("the source holds no record")
    for place, each in enumerate(candidate.first, 1):
        _accounted(each.turned, len(each.page.records), f"page {place}")
    async with candidate.open() as opened:
        for bad in MALFORMED:
            spoilt = msgspec.structs.replace(page.page, records=[bad, *page.page.records, bad])
            _kept(candidate, page, _attempted(opened.connector.transform, spoilt, bad), bad)
    return f"{len(MALFORMED)} kinds of malformed records, none of the others lost"


def _attempted(transform: Any, spoilt: Page, bad: Any) -> Transformed:
    try:
        became: Transformed = transform(spoilt)
    except Exception as error:
        raise Failed(
            f"a page with the record {reprlib.repr(bad)} in it is lost: {type(error).__name__}",
            "refuse the record (`Refused`), or raise ValidationFailure in `item`",
        ) from error
    _accounted(became, len(spoilt.records), f"a page with the record {reprlib.repr(bad)} in it")
    return became


def _accounted(became: Transformed, count: int, what: str) -> None:
    told = {*became.places, *(one.index for one in became.refused)}
    if len(became.items) != len(became.places) or told != set(range(count)):
        raise Failed(
            f"{what}: {len(told)} of {count} records are told of",
            "each item has the place of its record in `places`, and each other record is in `refused`",
        )
    if not all(one.reasons for one in became.refused):
        raise Failed(f"{what}: a record is refused without a reason", "give a `Reason` for each refusal")


def _kept(candidate: Candidate, good: Read, became: Transformed, bad: Any) -> None:
    count = len(good.page.records)
    kept = [seen(item) for item, place in zip(became.items, became.places, strict=True) if 1 <= place <= count]
    if candidate.state([good]) != candidate.state([Read(good.page, became, tuple(kept))]):
        raise Failed(
            f"beside the record {reprlib.repr(bad)} other records become other items", "look at each record by itself"
        )
