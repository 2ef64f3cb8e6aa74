"""Failed runs: each tells its channel, and too many of them page once (OR-41, D23, HV-62)."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.notify.desk import TENANT, Desk, failed

from windrow.contracts.errors import Code, Conflict, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.notify import Channel, failures
from windrow.postgres import Transaction


@pytest.mark.req("OR-41")
async def test_the_fourth_failed_run_of_a_day_pages_and_the_fifth_does_not(desk: Desk) -> None:
    paged = [await desk.fail(f"run-{number}") for number in range(6)]

    assert paged == [False, False, False, True, False, False]
    (page,) = await desk.told(Channel.PAGER)
    assert page["title"] == "4 runs failed within 24 hours"
    assert page["text"] == "docs/wiki: CONFIGURATION, 4 x"
    assert page["severity"] == "critical"


@pytest.mark.req("OR-41")
async def test_failures_of_longer_ago_than_a_day_do_not_count(desk: Desk) -> None:
    for number in range(3):
        await desk.fail(f"old-{number}")
    await desk.pass_time(timedelta(hours=24))

    assert [await desk.fail(f"run-{number}") for number in range(4)] == [False, False, False, True]


@pytest.mark.req("OR-41")
async def test_it_pages_again_only_after_it_has_recovered_and_crossed_anew(desk: Desk) -> None:
    for number in range(4):
        await desk.fail(f"first-{number}")
    await desk.pass_time(timedelta(hours=23))
    assert not await desk.fail("still too many")
    await desk.pass_time(timedelta(hours=23))

    assert [await desk.fail(f"second-{number}") for number in range(4)] == [False, False, True, False]
    assert len(await desk.told(Channel.PAGER)) == 2


@pytest.mark.req("OR-41")
async def test_of_many_that_fail_at_the_same_moment_exactly_one_pages(desk: Desk) -> None:
    paged = await asyncio.gather(*(desk.fail(f"run-{number}") for number in range(12)))

    assert sorted(paged) == [False] * 11 + [True]
    assert len(await desk.told(Channel.PAGER)) == 1


@pytest.mark.req("OR-41")
async def test_when_the_one_that_would_page_is_rolled_back_the_one_that_waited_pages(desk: Desk) -> None:
    for number in range(3):
        await desk.fail(f"run-{number}")
    async with desk.database.connection() as connection:
        await connection.execute("BEGIN")
        await connection.execute("SELECT set_config('windrow.tenant_id', 'acme', true)")
        assert await failures.note(Transaction(connection), failed("doomed"))
        waiting = asyncio.create_task(desk.fail("waits"))
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done, "it must wait for the one before it"
        await connection.rollback()

    assert await waiting
    assert len(await desk.told(Channel.PAGER)) == 1


async def test_a_run_that_is_noted_again_counts_once_and_is_told_once(desk: Desk) -> None:
    for _ in range(5):
        assert not await desk.fail("run-1")

    assert len(await desk.told(Channel.OPS)) == 1


async def test_tenants_are_counted_apart(desk: Desk) -> None:
    for number in range(3):
        await desk.fail(f"run-{number}", tenant="acme")
        await desk.fail(f"run-{number}", tenant="globex")

    assert await desk.fail("run-3", tenant="acme")
    assert await desk.told(Channel.PAGER, "globex") == []


@pytest.mark.req("HV-62", "MW-22")
@pytest.mark.parametrize(
    ("error", "channel", "severity"),
    [
        (Fatal("revoked", code=Code.UNAUTHORIZED), Channel.SECURITY, "critical"),
        (Fatal("not yours", code=Code.FORBIDDEN), Channel.SECURITY, "critical"),
        (Fatal("no such secret", code=Code.CREDENTIAL_MISSING), Channel.SECURITY, "critical"),
        (Fatal("the spec is gone"), Channel.OPS, "critical"),
        (ValidationFailure("half of it is refused"), Channel.MAINTAINERS, "warning"),
        # a source's 403 on one address is no credential of ours
        (ValidationFailure("no", code=Code.FORBIDDEN), Channel.MAINTAINERS, "warning"),
        (RetryableTransient("away for hours"), Channel.OPS, "warning"),
        (Conflict("the cursor moves"), Channel.OPS, "warning"),
    ],
)
async def test_a_failed_run_tells_those_who_can_mend_it(
    desk: Desk, error: WindrowError, channel: Channel, severity: str
) -> None:
    await desk.fail("wiki-7", error=error)

    found = {each: await desk.told(each) for each in Channel}
    assert [each for each, notices in found.items() if notices] == [channel]
    (notice,) = found[channel]
    assert (notice["severity"], notice["text"], notice["run_id"]) == (severity, error.message, "wiki-7")


REVOKED = Fatal("revoked", code=Code.UNAUTHORIZED)


@pytest.mark.req("HV-62")
async def test_a_credential_that_is_refused_again_and_again_is_told_once_until_the_endpoint_has_done_well(
    desk: Desk,
) -> None:
    for number in range(3):
        await desk.fail(f"first-{number}", error=REVOKED)
    assert [notice["run_id"] for notice in await desk.told(Channel.SECURITY)] == ["first-0"]

    well_at = datetime.now(UTC)
    for number in range(2):
        await desk.fail(f"second-{number}", error=REVOKED, well_at=well_at)

    assert [notice["run_id"] for notice in await desk.told(Channel.SECURITY)] == ["first-0", "second-0"]


async def test_each_endpoint_and_each_kind_of_refusal_is_told_and_other_failures_each_time(desk: Desk) -> None:
    await desk.fail("run-0", error=REVOKED)
    await desk.fail("run-1", error=REVOKED, endpoint_id="drive")
    await desk.fail("run-2", error=Fatal("not yours", code=Code.FORBIDDEN))
    for number in range(3, 5):
        await desk.fail(f"run-{number}", error=RetryableTransient("away for hours"))

    assert [notice["run_id"] for notice in await desk.told(Channel.SECURITY)] == ["run-0", "run-1", "run-2"]
    assert len(await desk.told(Channel.OPS)) == 2


async def test_of_many_that_are_refused_at_the_same_moment_one_is_told(desk: Desk) -> None:
    await asyncio.gather(*(desk.fail(f"run-{number}", error=REVOKED) for number in range(6)))

    assert len(await desk.told(Channel.SECURITY)) == 1


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(gaps=st.lists(st.sampled_from([0, 0, 1, 5, 8, 12, 23, 25]), min_size=1, max_size=10))
async def test_whenever_runs_fail_it_pages_at_each_crossing_and_never_between(desk: Desk, gaps: list[int]) -> None:
    async with desk.database.tenant(TENANT) as tx:
        await tx.connection.execute("DELETE FROM failed_runs")
    now, times, alarmed = 0, list[int](), False
    for number, gap in enumerate(gaps):
        await desk.pass_time(timedelta(hours=gap))
        now += gap
        within = [at for at in times if at > now - 24]
        alarmed = alarmed and len(within) > 3
        expected = not alarmed and len(within) + 1 > 3
        alarmed = alarmed or expected
        times.append(now)
        # ids of their own for each example: a run is noted once
        assert await desk.fail(f"{'-'.join(map(str, gaps))}-{number}") == expected, gaps[: number + 1]
