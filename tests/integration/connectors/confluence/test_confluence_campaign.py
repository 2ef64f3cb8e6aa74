"""People change things while they are read, and reading ends anywhere: what stays there is held, and in the end all of it."""

import random
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.fakes.confluence.people import People, truth
from tests.integration.connectors.confluence.reading import Reader

PASSES = 4


class Onlooker:
    """Lets people do things between requests, and knows what was there all the time."""

    def __init__(self, people: People, drawn: random.Random) -> None:
        self._people, self._drawn = people, drawn
        self.there = set(truth(people.site))

    def __call__(self, _: Request) -> Response | None:
        for _each in range(self._drawn.choice((0, 0, 1, 4))):
            self._people.change(self._drawn)
        self.there &= set(truth(self._people.site))
        return None


@pytest.mark.campaign
@pytest.mark.parametrize("edition", ["cloud", "data_center"])
async def test_what_is_there_all_the_time_is_never_taken_for_gone(tmp_path: Path, seed: int, edition: str) -> None:
    drawn = random.Random(seed)
    people = People(seed=seed, size=200, edition=edition)
    with people.site as site:
        reader = Reader(site, tmp_path)
        await reader.harvest(50)
        for _ in range(PASSES):
            held = set(reader.held)
            reader.config = {"relist_hours": drawn.choice((0, 24))}
            site.before = onlooker = Onlooker(people, drawn)
            while not await read_some(reader, drawn):
                pass
            assert held & onlooker.there <= reader.held.keys()

        site.before, reader.ahead = None, timedelta(days=2)
        await reader.harvest(50)

        true = truth(site)
        assert reader.held.keys() == true.keys()
        found = {name: {field: getattr(reader.held[name], field) for field in said} for name, said in true.items()}
        for said in found.values():
            said |= {field: list(value) for field, value in said.items() if isinstance(value, tuple)}
        assert found == true


async def read_some(reader: Reader, drawn: random.Random) -> bool:
    """Some pages of a pass: whoever comes next goes on from there. Whether it was the rest of it."""
    pages = drawn.choice((1, 2, 3, 100))
    async with aclosing(reader.steps(50)) as steps:
        async for page in steps:
            pages -= 1
            if page.last or not pages:
                return page.last
    raise AssertionError("a pass has a last page")
