"""How much is asked for: no request twice, and next to nothing where nothing has changed."""

import json
import random

import pytest
from tests.fakes.github import GitHub, people
from tests.integration.connectors.github.reading import Reader

REPOSITORIES = 9
LISTS = ("labels", "milestones", "issues", "pulls", "releases", "commits")


def settled(hub: GitHub) -> None:
    with hub.lock:
        people.settle(hub.account, random.Random(1), repositories=REPOSITORIES, things=100)


@pytest.mark.req("HV-4")
async def test_a_first_harvest_asks_for_nothing_twice_and_the_next_for_each_list_once_and_conditionally(
    hub: GitHub, reader: Reader
) -> None:
    settled(hub)

    pages = await reader.run(prepared=True)

    assert reader.wrong() == {}
    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert [line for line, times in hub.asked().items() if times > 1] == []
    before, left = reader.cursor, hub.remaining
    assert len(json.dumps(before)) < 640 * REPOSITORIES, "fifty repositories take half of what a cursor may have"
    hub.requests.clear()

    (page,) = await reader.run(prepared=True)

    empty = sum(not each.head for each in hub.account.repositories.values())
    costly = [each for each in hub.requests if "if-none-match" not in each.headers or each.status != 304]
    assert [each.status for each in costly] == [409] * empty, "an empty repository has no list that could be the same"
    # the account, its list of repositories, and six lists of each; files are known by their commit
    assert max(hub.asked().values()) == 1
    assert len(hub.requests) == 2 + REPOSITORIES * len(LISTS)
    assert hub.remaining == left - empty
    assert (page.records, page.last, page.opens, page.whole) == ([], True, False, False)
    assert page.cursor == before, "a run without news leaves the cursor alone"
