"""What people do is found: by the changes, by the trash, or by the next listing."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from starlette.requests import Request
from starlette.responses import Response
from tests.fakes.confluence import Confluence
from tests.integration.connectors.confluence.reading import Reader

A_DAY = timedelta(hours=25)


async def test_only_what_was_changed_lately_is_read_again(site: Confluence, reader: Reader) -> None:
    first = await reader.harvest()
    page, comment = site.wiki.of_type("page")[5], site.wiki.of_type("comment")[3]
    site.wiki.edit(page, "Another title")
    site.wiki.edit(comment)
    before = len(site.requests)

    later = await reader.harvest()

    assert reader.held[f"page:{page.id}"].display_name == "Another title"
    assert reader.held[f"comment:{comment.id}"].source_version == "2"
    assert sum(len(each.records) for each in later) < 10 < sum(len(each.records) for each in first)
    assert not any(each.opens or each.whole for each in later)
    # spaces, changes, and three kinds of trash
    assert len(site.requests) - before == 5


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kolkata"])
@pytest.mark.parametrize("told", [True, False])
async def test_a_change_is_found_in_whatever_zone_the_site_reads_dates(
    site: Confluence, reader: Reader, zone: str, told: bool
) -> None:
    site.zone = ZoneInfo(zone)
    reader.config = {"time_zone": zone} if told else {}
    await reader.harvest()
    page = site.wiki.of_type("page")[5]
    site.wiki.edit(page, "Changed at once")

    await reader.harvest()

    assert reader.held[f"page:{page.id}"].display_name == "Changed at once"


async def test_the_watermark_is_the_clock_of_the_source(site: Confluence, reader: Reader) -> None:
    reader.config = {"time_zone": "Europe/Berlin"}
    real = datetime.now(UTC)
    # it is behind ours by more than any overlap
    site.wiki.held, reader.ahead = real - timedelta(hours=6), timedelta(hours=6)
    await reader.harvest()
    site.wiki.held += timedelta(minutes=1)
    page = site.wiki.of_type("page")[5]
    site.wiki.edit(page, "Changed meanwhile")

    await reader.harvest()

    assert reader.held[f"page:{page.id}"].display_name == "Changed meanwhile"


async def test_a_change_that_the_search_learns_of_late_is_found_by_the_pass_behind(
    site: Confluence, reader: Reader
) -> None:
    reader.config = {"time_zone": "Europe/Berlin"}
    site.wiki.held = datetime.now(UTC)
    await reader.harvest()
    site.wiki.lag = timedelta(minutes=10)
    page = site.wiki.of_type("page")[5]
    site.wiki.edit(page, "Not indexed yet")
    site.wiki.held += timedelta(minutes=5)
    await reader.harvest()
    assert reader.held[f"page:{page.id}"].display_name != "Not indexed yet"

    site.wiki.held += timedelta(minutes=9)
    await reader.harvest()

    assert reader.held[f"page:{page.id}"].display_name == "Not indexed yet"


async def test_what_is_trashed_becomes_a_tombstone(site: Confluence, reader: Reader) -> None:
    await reader.harvest()
    gone = [site.wiki.of_type(kind)[4] for kind in ("page", "blogpost", "attachment")]
    for each in gone:
        site.wiki.trash(each)

    later = await reader.harvest()

    told = [item for page in later for item in reader.connector().transform(page).items]
    assert {item.external_id for item in told if item.deleted} == {f"{each.type}:{each.id}" for each in gone}  # type: ignore[union-attr]
    assert not any(page.whole for page in later)


async def test_a_server_that_does_not_know_the_trash_deletes_nothing(site: Confluence, reader: Reader) -> None:
    await reader.harvest()
    known = dict(reader.held)

    def ignorant(request: Request) -> Response | None:
        query = request.scope["query_string"].replace(b"trashed%2Cdeleted", b"current").replace(b"trashed", b"current")
        request.scope["query_string"] = query
        return None

    site.before = ignorant
    await reader.harvest()

    assert reader.held == known


async def test_what_is_purged_is_gone_with_the_next_listing(site: Confluence, reader: Reader) -> None:
    await reader.harvest()
    page, comment = site.wiki.of_type("page")[4], site.wiki.of_type("comment")[2]
    site.wiki.trash(page)
    site.wiki.purge(page)
    site.wiki.purge(comment)
    await reader.harvest()
    assert f"page:{page.id}" in reader.held

    reader.ahead = A_DAY
    pages = await reader.harvest()

    assert pages[-1].whole
    assert not {f"page:{page.id}", f"comment:{comment.id}"} & reader.held.keys()


async def test_what_is_moved_keeps_its_identity_and_takes_its_children_along(site: Confluence, reader: Reader) -> None:
    home, other = (site.wiki.contents[site.wiki.spaces[key].home or ""] for key in ("OPS", "DEV"))
    parent = site.wiki.add("page", "Parent", "OPS", home.id)
    child = site.wiki.add("page", "Child", "OPS", parent.id)
    await reader.harvest()
    site.wiki.move(parent, other)

    reader.ahead = A_DAY
    await reader.harvest()

    assert reader.held[f"page:{parent.id}"].canonical_path == "DEV/Development Home/Parent"
    assert reader.held[f"page:{child.id}"].canonical_path == "DEV/Development Home/Parent/Child"
    assert reader.held[f"page:{child.id}"].source_version == "1"


async def test_a_listing_that_is_begun_is_gone_on_with_however_late_it_is(site: Confluence, reader: Reader) -> None:
    given = reader.connector().fetch_pages(None, 50)
    reader.cursor = (await anext(given)).cursor
    await given.aclose()  # type: ignore[attr-defined]

    reader.ahead = A_DAY
    pages = await reader.harvest()

    assert not any(page.opens for page in pages)
    assert pages[-1].whole
