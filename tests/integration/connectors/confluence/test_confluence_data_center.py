"""A Data Center has the older API alone, and counts where the Cloud has cursors."""

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.fakes.confluence import Confluence
from tests.fakes.confluence.people import fill
from tests.integration.connectors.confluence.reading import Reader
from tests.integration.connectors.confluence.test_confluence_trouble import everything

from windrow.contracts.errors import ValidationFailure


@pytest.fixture
def site() -> Iterator[Confluence]:
    with Confluence(edition="data_center") as made:
        fill(made.wiki, 260, random.Random(2))
        yield made


async def test_everything_is_listed_and_changes_are_found(site: Confluence, reader: Reader) -> None:
    first = await reader.harvest()
    assert reader.held.keys() == everything(site)
    assert first[-1].whole
    assert not [each.path for each in site.requests if "/api/v2/" in each.path]
    edited, trashed = site.wiki.of_type("page")[3], site.wiki.of_type("blogpost")[1]
    site.wiki.edit(edited, "Another")
    site.wiki.trash(trashed)

    await reader.harvest()

    assert reader.held[f"page:{edited.id}"].display_name == "Another"
    assert reader.held[f"page:{edited.id}"].owners == (edited.author.partition(":")[2],)
    assert f"blogpost:{trashed.id}" not in reader.held


async def test_some_spaces_alone_can_be_read(site: Confluence, reader: Reader) -> None:
    reader.config = {"spaces": ["DEV"], "entities": ["space", "page"]}
    await reader.harvest()
    for page in [
        next(each for each in site.wiki.of_type("page") if each.at and each.space == key) for key in ("DEV", "OPS")
    ]:
        site.wiki.trash(page)

    pages = await reader.harvest()

    mine = [each for each in site.wiki.of_type("page") if each.space == "DEV"]
    assert reader.held.keys() == {f"page:{each.id}" for each in mine} | {f"space:{site.wiki.spaces['DEV'].id}"}
    told = [item for page in pages for item in reader.connector().transform(page).items if item.deleted]  # type: ignore[union-attr]
    assert len(told) == 1


async def test_a_space_that_is_not_there_stops_the_run(reader: Reader) -> None:
    reader.config = {"spaces": ["DEV", "GONE"]}

    with pytest.raises(ValidationFailure, match="GONE"):
        await reader.harvest()


async def test_a_server_that_gives_fewer_than_it_was_asked_for_loses_nothing(site: Confluence, reader: Reader) -> None:
    site.most = 20

    await reader.harvest(50)

    assert reader.held.keys() == everything(site)


async def test_what_is_deleted_while_the_list_is_read_moves_nothing_out_of_sight(
    site: Confluence, reader: Reader
) -> None:
    await reader.harvest()
    numbers = iter(range(100))

    def before(request: Request) -> Response | None:
        if request.url.path.endswith("/rest/api/content") and next(numbers) == 1:
            for page in [each for each in site.wiki.of_type("page") if each.at][:7]:
                site.wiki.trash(page)
                site.wiki.purge(page)
        return None

    site.before, reader.ahead = before, timedelta(hours=25)
    pages = await reader.harvest()

    assert pages[-1].whole
    assert everything(site) <= reader.held.keys()


async def test_a_record_that_cannot_be_had_is_passed_over_one_by_one(site: Confluence, reader: Reader) -> None:
    await reader.harvest()
    page = site.wiki.of_type("page")[30]
    site.poison = {page.id}
    reader.config = {"relist_hours": 0, "entities": ["page"]}

    pages = await reader.harvest()

    assert f"page:{page.id}" in reader.held
    assert not pages[-1].whole
    assert [event for event, _ in reader.said] == ["connector.skipped"]
