"""A source that forgets, limits, refuses and leads astray."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.fakes.onedrive import Drive, OneDrive
from tests.fakes.onedrive.service import Trouble
from tests.integration.connectors.onedrive.conftest import Reader, named, paths_of

from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient, ValidationFailure


@pytest.mark.parametrize(
    ("code", "location"),
    [
        ("resyncRequired", None),
        ("ResyncRequired", "http://127.0.0.1:9/v1.0/drives/x/root/delta?token=x"),
        ("SyncStateNotFound", "ht tp://[broken"),
        ("resyncChangesApplyDifferences", None),
        ("somethingNew", None),
    ],
)
async def test_a_token_that_is_forgotten_makes_the_pass_a_listing_of_everything(
    fake: OneDrive, drive: Drive, reader: Reader, code: str, location: str | None
) -> None:
    await reader.run()
    with fake.lock:
        drive.delete(named(drive, "a1.txt"), told=False)
        drive.put("new")
    fake.forget()
    fake.resync, fake.location = code, location

    pages = await reader.run()

    assert pages[0].opens
    assert pages[-1].whole
    assert reader.paths == paths_of(drive)
    assert sum(each.status == 410 for each in fake.requests) == 1


async def test_a_link_that_is_forgotten_in_the_middle_of_a_listing_begins_it_anew(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run(pages=2)
    fake.forget()

    pages = await reader.run()

    assert [page.opens for page in pages] == [True, False, False]
    assert reader.paths == paths_of(drive)


async def test_a_refusal_that_is_no_json_is_a_refusal_all_the_same(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run()
    page = iter([Trouble(410, "", body="<html>Gone</html>").response()])
    fake.before = lambda request: next(page, None) if "/root/delta" in request.url.path else None

    pages = await reader.run()

    assert pages[-1].whole
    assert reader.paths == paths_of(drive)


async def test_a_source_that_forgets_at_once_what_it_has_told_is_asked_later_and_not_for_ever(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    await reader.run(pages=1)
    reader.fake.before = lambda _: fake.forget()

    with pytest.raises(RetryableTransient, match="again and again"):
        await reader.run()
    fake.before = None
    await reader.run()

    assert reader.paths == paths_of(drive)


@pytest.mark.req("HV-42")
@pytest.mark.parametrize(("status", "code"), [(429, "activityLimitReached"), (503, "serviceNotAvailable")])
@pytest.mark.parametrize("as_date", [False, True])
async def test_a_limit_is_told_with_the_time_that_the_source_asks_for(
    fake: OneDrive, reader: Reader, status: int, code: str, as_date: bool
) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True) if as_date else "120"
    fake.troubles.append(Trouble(status, code, {"retry-after": later}))

    with pytest.raises(RateLimited) as limited:
        await reader.run()

    assert limited.value.retry_after == pytest.approx(120, abs=30)
    assert len(fake.asked("/v1.0/")) == 1


async def test_one_answer_that_fails_is_a_hiccup(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    await reader.run(pages=1)
    fake.troubles.append(Trouble(502, "generalException"))

    await reader.run()

    assert reader.paths == paths_of(drive)


@pytest.mark.parametrize(
    "link",
    [
        "https://elsewhere.example/v1.0/drives/b!drive-one/root/delta?token=x",
        "//elsewhere.example/v1.0/x",
        "http://127.0.0.1:9/v1.0/x",
        "{door}/beta/drives/x",
        "javascript:alert(1)",
    ],
)
async def test_a_link_that_leads_elsewhere_is_not_followed(fake: OneDrive, reader: Reader, link: str) -> None:
    asked: list[str] = []

    def astray(request: Request) -> Response | None:
        asked.append(request.url.path)
        if "/root/delta" not in request.url.path:
            return None
        return JSONResponse({"value": [], "@odata.nextLink": link.replace("{door}", fake.base_url)})

    fake.before = astray

    with pytest.raises(ValidationFailure) as refused:
        await reader.run()

    assert refused.value.code in (Code.REFUSED, Code.INVALID)
    assert sum("/root/delta" in path for path in asked) == 1


@pytest.mark.parametrize(
    "answer",
    [{}, {"value": []}, {"value": 3, "@odata.deltaLink": "x"}, [], "text", {"value": [], "@odata.nextLink": 5}],
)
async def test_an_answer_that_is_no_delta_fails_and_does_not_end_the_pass(
    fake: OneDrive, reader: Reader, answer: Any
) -> None:
    fake.before = lambda request: JSONResponse(answer) if "/root/delta" in request.url.path else None

    with pytest.raises(ValidationFailure):
        await reader.run()


async def test_a_delta_that_leads_back_to_itself_fails(fake: OneDrive, reader: Reader) -> None:
    def circle(request: Request) -> Response | None:
        if "/root/delta" not in request.url.path:
            return None
        link = f"{fake.base_url}{request.url.path}?{request.url.query}"
        return JSONResponse({"value": [], "@odata.nextLink": link})

    fake.before = circle

    with pytest.raises(ValidationFailure, match="back to itself"):
        await reader.run()


async def test_a_thing_without_an_id_is_refused_and_the_others_are_not(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    with fake.lock:
        drive.echoes = [{"name": "nameless"}, 5]  # type: ignore[list-item]
    async with reader.opened() as connector:
        page = await anext(connector.fetch_pages(None, 50))
        turned = connector.transform(page)

    assert len(turned.refused) == 2
    assert len(turned.items) == 50


async def test_the_token_of_a_link_is_in_no_error(fake: OneDrive, reader: Reader) -> None:
    fake.in_path = True
    await reader.run(pages=1)
    token = json.dumps(reader.cursor).partition("token='")[2].partition("'")[0]
    fake.troubles += [Trouble(500, "generalException")] * 3

    with pytest.raises(RetryableTransient) as failed:
        await reader.run()

    assert token
    assert token not in str(failed.value)


async def test_a_drive_that_may_not_be_read_is_a_matter_for_a_person(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    fake.denied[drive.id] = Trouble(403, "accessDenied")

    with pytest.raises(Fatal) as refused:
        await reader.run()

    assert refused.value.code is Code.FORBIDDEN


async def test_a_library_that_may_not_be_read_costs_the_others_nothing_and_nothing_is_taken_for_deleted(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    second = fake.add("Second", "b!drive-two")
    second.put("kept")
    reader.config = {"site": "acme.example:/sites/team"}
    await reader.run()
    fake.denied[second.id] = Trouble(403, "accessDenied")
    with fake.lock:
        drive.put("new")
    reader.ahead = timedelta(days=2)

    pages = await reader.run()

    assert pages[0].opens
    assert not any(page.whole for page in pages)
    assert reader.paths == paths_of(drive, second)
    assert reader.reasons("connector.skipped") == ["403 accessDenied"]
