"""Checks of pages: that they end, how large they are."""

from windrow.connectors.conformance.candidate import Candidate
from windrow.connectors.conformance.reading import Read, read
from windrow.connectors.conformance.result import Failed


async def pagination(candidate: Candidate) -> str:
    """The pages from the beginning come to an end."""
    async with candidate.open() as opened:
        found = await read(opened.connector, None, candidate.size, most=candidate.limits.pages)
        candidate.first, candidate.first_witness = found, opened.witness
    if not found:
        raise Failed("there is not one page", "an empty source gives one empty page, which is `last`")
    return f"pages: {len(found)}, records: {sum(len(each.page.records) for each in found)}"


async def last(candidate: Candidate) -> str:
    """The `last` page, and only that, ends a pass."""
    ends = [place for place, each in enumerate(candidate.first, 1) if each.page.last]
    if not ends:
        raise Failed("the pages end, and none of them is `last`", "without it a run cannot tell an end from a failure")
    if ends != [len(candidate.first)]:
        raise Failed(f"after page {ends[0]}, which is `last`, more follow", "stop after the page that is `last`")
    return f"page {ends[0]} is the last"


async def page_size(candidate: Candidate) -> str:
    """No page is larger than was asked for, and pages of any size hold the same items."""
    sizes = candidate.spec.page_sizes
    _within(candidate.first, candidate.size)
    if sizes.largest == candidate.size:
        return f"pages of {candidate.size}"
    large = await candidate.read(size=sizes.largest)
    _within(large, sizes.largest)
    little, much = candidate.state(candidate.first), candidate.state(large)
    if little != much:
        raise Failed(
            f"pages of {candidate.size} and of {sizes.largest} hold different items: {differing(little, much)}",
            "the size must not decide what is found; look at where a page begins and ends",
        )
    return f"pages of {candidate.size} and of {sizes.largest} hold the same {len(little)} items"


def _within(reads: list[Read], size: int) -> None:
    for place, each in enumerate(reads, 1):
        if len(each.page.records) > size:
            raise Failed(
                f"page {place} has {len(each.page.records)} records where {size} were asked for",
                "keep the rest for the next page",
            )


def differing(one: dict[str, str], other: dict[str, str]) -> str:
    """The first few ids in which two passes differ."""
    ids = sorted(
        external_id for external_id in one.keys() | other.keys() if one.get(external_id) != other.get(external_id)
    )
    return ", ".join(each[:80] for each in ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
