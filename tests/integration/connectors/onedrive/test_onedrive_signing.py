"""Signing in: seldom, anew when it is time, and never for anybody else to see."""

import json
import random
from datetime import timedelta

import pytest
from tests.fakes.onedrive import Drive, OneDrive
from tests.fakes.onedrive.service import Trouble
from tests.integration.connectors.onedrive.conftest import Reader, paths_of

from windrow.contracts.errors import Code, Fatal, RetryableTransient


async def test_an_access_token_serves_until_shortly_before_its_end(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    async with reader.opened() as connector:
        pages = connector.fetch_pages(None, 50)
        await anext(pages)
        at_first = len(fake.login.forms)
        reader.ahead = timedelta(seconds=3599 - 299)
        await anext(pages)
        await pages.aclose()

    assert at_first == 1
    assert len(fake.login.forms) == 2


async def test_an_access_token_that_is_refused_in_the_middle_is_renewed_once(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    async with reader.opened() as connector:
        pages = connector.fetch_pages(None, 50)
        reader.take(connector, await anext(pages))
        fake.login.revoke_access()
        async for page in pages:
            reader.take(connector, page)

    assert len(fake.login.forms) == 2
    assert [each.status for each in fake.requests].count(401) == 1
    assert reader.paths == paths_of(drive)


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_revoked_in_the_middle_is_fatal(fake: OneDrive, reader: Reader) -> None:
    async with reader.opened() as connector:
        pages = connector.fetch_pages(None, 50)
        await anext(pages)
        fake.login.revoke_access()
        fake.login.secret = "another"
        with pytest.raises(Fatal) as refused:
            await anext(pages)

    assert refused.value.code is Code.UNAUTHORIZED
    assert "invalid_client (AADSTS7000215)" in refused.value.message
    assert refused.value.hint
    assert reader.credential not in str(refused.value)


async def test_tokens_that_are_granted_and_never_accepted_are_fatal(fake: OneDrive, reader: Reader) -> None:
    fake.before = lambda _: fake.login.revoke_access()

    with pytest.raises(Fatal) as refused:
        await reader.run()

    assert refused.value.code is Code.UNAUTHORIZED
    assert len(fake.login.forms) == 2


async def test_a_credential_that_was_replaced_is_used(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    await reader.run(pages=1)
    fake.login.secret = reader.credential = "canary-new-secret"
    fake.login.revoke_access()

    await reader.run()

    assert reader.paths == paths_of(drive)


async def test_a_sign_in_that_is_away_is_tried_again_later(fake: OneDrive, reader: Reader) -> None:
    fake.login.directory = "elsewhere"
    fake.before = lambda request: Trouble(503, "", body="busy").response() if "oauth2" in request.url.path else None

    with pytest.raises(RetryableTransient):
        await reader.run(directory="elsewhere")


async def test_a_refresh_token_signs_in_as_its_user(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    reader.credential, reader.config = fake.login.refresh, {"me": True, "sign_in": "user"}

    await reader.run()

    assert fake.login.forms[0]["grant_type"] == "refresh_token"
    assert "client_secret" not in fake.login.forms[0]
    assert reader.paths == paths_of(drive)


async def test_a_refresh_token_that_the_server_replaces_is_replaced_for_as_long_as_the_connector_lives(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    fake.login.strict = True
    reader.credential, reader.config = fake.login.refresh, {"me": True, "sign_in": "user"}
    async with reader.opened() as connector:
        pages = connector.fetch_pages(None, 50)
        reader.take(connector, await anext(pages))
        fake.login.revoke_access()
        async for page in pages:
            reader.take(connector, page)

    with pytest.raises(Fatal, match="invalid_grant") as refused:
        await reader.run()

    assert reader.paths == paths_of(drive)
    assert fake.login.forms[1]["refresh_token"] != fake.login.refresh
    assert "sign in again" in (refused.value.hint or "")


async def test_a_credential_may_be_json_with_both(fake: OneDrive, drive: Drive, reader: Reader) -> None:
    both = {"refresh_token": fake.login.refresh, "client_secret": fake.login.secret}
    reader.credential, reader.config = json.dumps(both), {"me": True, "sign_in": "user"}

    await reader.run()

    assert fake.login.forms[0]["client_secret"] == fake.login.secret
    assert reader.paths == paths_of(drive)


async def test_a_credential_without_what_is_needed_is_refused_and_not_repeated(reader: Reader) -> None:
    reader.credential = json.dumps({"refresh_token": "canary-wrong-kind"})

    with pytest.raises(Fatal) as refused:
        await reader.run()

    assert refused.value.code is Code.CREDENTIAL_MISSING
    assert "canary" not in str(refused.value)


async def test_no_credential_or_token_is_in_anything_that_is_kept_or_said(
    fake: OneDrive, drive: Drive, reader: Reader
) -> None:
    drive.share(random.Random(1).choice(list(drive.nodes)), ["anyone"])
    pages = await reader.run(permissions=True)

    told = json.dumps([[page.cursor, page.position, *page.records] for page in pages]) + repr(reader.said)
    assert "canary" not in told
    assert all("canary" not in each.line for each in fake.requests)
