"""Checks of what happens when the source changes: nothing that is gone stays, nothing that changed is missed."""

from windrow.connectors.conformance.candidate import Candidate
from windrow.connectors.conformance.paging import differing
from windrow.connectors.conformance.reading import Read, tombstones
from windrow.connectors.conformance.result import Failed, Skipped
from windrow.connectors.spec import Deletes


async def listing(candidate: Candidate) -> str:
    """A listing is opened by its first page and made whole by its last, and by no other."""
    how = candidate.spec.capabilities.deletes
    claimed = any(each.page.opens or each.page.whole for each in candidate.first)
    if how is Deletes.NEVER and claimed:
        raise Failed(
            "pages say that they list all there is", "declare `deletes=Deletes.LISTED`, or leave out opens and whole"
        )
    if how is not Deletes.LISTED and not claimed:
        raise Skipped("the connector lists nothing as a whole")
    _bracketed(candidate)
    if len(candidate.first) > 1:
        rest = await candidate.read(candidate.first[0].page.cursor)
        if any(each.page.opens for each in rest):
            raise Failed("a listing that is resumed is opened again", "only its first page `opens` a listing")
    return "opened by the first page, whole with the last"


def _bracketed(candidate: Candidate) -> None:
    opens = [place for place, each in enumerate(candidate.first, 1) if each.page.opens]
    whole = [place for place, each in enumerate(candidate.first, 1) if each.page.whole]
    if opens != [1]:
        raise Failed(f"opened by the pages {opens or 'none'}", "the first page, and only that, `opens` the listing")
    skipped = [fields for event, fields in candidate.first_witness.said if event == "connector.skipped"]
    if not whole and skipped:
        raise Skipped(f"something was passed over, so the listing is not whole: {skipped[0].get('position')}")
    if whole != [len(candidate.first)]:
        raise Failed(f"made whole by the pages {whole or 'none'}", "the last page, and only that, is `whole`")


async def deletes(candidate: Candidate) -> str:
    """What is gone is told: by a tombstone, or by a new whole listing without it."""
    how = candidate.spec.capabilities.deletes
    if how is Deletes.NEVER:
        raise Skipped("the connector does not say that it tells what is gone")
    after = await candidate.after()
    there = candidate.state(after.fresh)
    gone = candidate.state(candidate.first).keys() - there.keys()
    if not gone:
        raise Skipped("`mutate` deleted nothing that the first pass had shown")
    told = tombstones(after.later)
    if wrong := told & there.keys():
        raise Failed(f"a tombstone for what is there: {_some(wrong)}", "tell only what is gone")
    missing = gone - told
    if not missing:
        return f"{len(gone)} gone, each told by a tombstone"
    if how is Deletes.REPORTED:
        raise Failed(f"gone without a tombstone: {_some(missing)}", "give an item with `deleted`")
    if after.later[0].page.opens or not candidate.spec.capabilities.incremental:
        _listed_anew(after.later, missing)
    return f"{len(gone)} gone from the next listing"


def _listed_anew(later: list[Read], gone: set[str]) -> None:
    if not (later[0].page.opens and later[-1].page.whole):
        raise Failed("after a listing's last cursor no new listing begins", "begin anew behind the last cursor")
    if still := gone & {item.external_id for each in later for item in each.items}:
        raise Failed(f"gone and still listed: {_some(still)}", "list what the source holds now")


def _some(ids: set[str]) -> str:
    return ", ".join(sorted(ids)[:3])


async def changes(candidate: Candidate) -> str:
    """After a change, reading on from the last cursor leaves the same as reading anew."""
    after = await candidate.after()
    left = candidate.state([*candidate.first, *after.later])
    fresh = candidate.state(after.fresh)
    if fresh == candidate.state(candidate.first):
        raise Skipped("`mutate` changed nothing")
    missed = {each: kept for each, kept in fresh.items() if left.get(each) != kept}
    if missed:
        raise Failed(
            f"a change is missed, or told differently than from the beginning: {differing(missed, {})}",
            "behind the last cursor, give all that changed since, as a pass from the beginning would give it",
        )
    return f"{sum(len(each.items) for each in after.later)} items read on, the same as read anew"
