"""Namespaces on a real Temporal server: created, mended, compared, required."""

import asyncio
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio.api.enums.v1 import NamespaceState
from temporalio.api.namespace.v1 import NamespaceConfig, UpdateNamespaceInfo
from temporalio.api.workflowservice.v1 import UpdateNamespaceRequest
from temporalio.client import Client
from tests.conftest import Said

from windrow.app.declarations import apply_namespaces, namespaces
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.orchestration.connect import TemporalTarget, dial
from windrow.orchestration.namespace import Drift, Namespace, declared
from windrow.orchestration.namespaces import Applied, Outcome, apply, check, describe, require
from windrow.orchestration.probing import round_trip
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.specs import load

SPECS = load()


@pytest.fixture
def environment() -> str:
    """An environment of the test's own: namespaces stay on the server for as long as it runs."""
    return f"t{secrets.token_hex(6)}"


async def standing_in(address: str, name: str) -> Client:
    """A client in a namespace, whether or not that is there."""
    return await dial(TemporalTarget(address=address, namespace=name))


@pytest.fixture
async def client(temporal_address: str) -> Client:
    """A client of the server, in no particular namespace."""
    return await standing_in(temporal_address, "default")


def wanted(environment: str, *families: str, tenant: str | None = None) -> list[Namespace]:
    return declared(SPECS, environment, ".", tenant=tenant, families=families or ["harvesters"])


async def change(client: Client, name: str, **changed: object) -> None:
    """Somebody changes a namespace behind our back."""
    days = changed.pop("retention_days", None)
    config = NamespaceConfig()
    if isinstance(days, int):
        config.workflow_execution_retention_ttl.FromTimedelta(timedelta(days=days))
    update = UpdateNamespaceRequest(
        namespace=name,
        update_info=UpdateNamespaceInfo(**changed) if changed else None,  # type: ignore[arg-type]
        config=config if days else None,
    )
    await client.workflow_service.update_namespace(update)


def outcomes(applied: Iterable[Applied]) -> list[tuple[str, Outcome]]:
    return [(each.namespace, each.outcome) for each in applied]


@pytest.mark.req("OR-1", "OR-2")
async def test_what_is_missing_is_created_as_declared(client: Client, environment: str, said: Said) -> None:
    families = wanted(environment, "harvesters", "backfills", "experiments")
    before = await check(client, families)

    done = await apply(client, families)

    assert [(drift.field, drift.found) for drift in before] == [("namespace", None)] * 3
    assert outcomes(done) == [(each.name, Outcome.CREATED) for each in families]
    assert await check(client, families) == []
    for each in families:
        found = await describe(client, each.name)
        assert found
        assert (found.description, found.retention, found.data) == (each.description, each.retention, each.data)
    assert [line["namespace"] for line in said.events("namespace.created")] == [each.name for each in families]


async def test_a_namespace_can_be_worked_in_as_soon_as_it_was_applied(
    client: Client, environment: str, database: Database, temporal_address: str
) -> None:
    await apply(client, wanted(environment))

    result = await round_trip(
        await standing_in(temporal_address, f"{environment}.harvesters"), database, Scope("acme", "docs")
    )

    assert result.version == 1


async def test_everything_on_this_machine_applies_the_namespaces_of_its_environment(
    client: Client, environment: str, temporal_address: str
) -> None:
    settings = Settings(environment=environment, namespace_separator="-")

    done = await apply_namespaces(settings, temporal_address)

    assert [each.namespace for each in done] == [f"{environment}-{family}" for family in SPECS.families]
    assert await check(client, namespaces(settings)) == []


async def test_applying_again_changes_nothing(client: Client, environment: str, said: Said) -> None:
    await apply(client, wanted(environment))
    said.raw.clear()

    done = await apply(client, wanted(environment))

    assert outcomes(done) == [(f"{environment}.harvesters", Outcome.UNCHANGED)]
    assert said.lines == []


@pytest.mark.req("OR-2")
async def test_what_has_drifted_is_told_and_mended(client: Client, environment: str, said: Said) -> None:
    (namespace,) = wanted(environment)
    await apply(client, [namespace])
    await change(
        client,
        namespace.name,
        description="mine",
        data={"owner": "nobody", "contact": "", "cost-centre": "7"},
        retention_days=3,
    )

    drifted = await check(client, [namespace])
    (done,) = await apply(client, [namespace])

    assert {drift.field: drift.found for drift in drifted} == {
        "description": "mine",
        "retention": "3 days",
        "owner": "nobody",
        "contact": None,
    }
    assert (done.outcome, list(done.mended), done.left) == (Outcome.MENDED, drifted, ())
    assert await check(client, [namespace]) == []
    found = await describe(client, namespace.name)
    assert found
    assert found.data["cost-centre"] == "7", "what others keep there is theirs"
    assert said.events("namespace.mended")[0]["fields"] == [drift.field for drift in drifted]


async def test_a_longer_retention_is_shortened_only_on_request(client: Client, environment: str) -> None:
    (namespace,) = wanted(environment)
    await apply(client, [namespace])
    await change(client, namespace.name, retention_days=90)
    longer = Drift(namespace.name, "retention", "30 days", "90 days")

    assert await check(client, [namespace]) == [longer]
    (left,) = await apply(client, [namespace])
    assert left == Applied(namespace.name, Outcome.UNCHANGED, left=(longer,))
    (done,) = await apply(client, [namespace], shorten=True)
    assert done == Applied(namespace.name, Outcome.MENDED, mended=(longer,))


async def test_what_else_has_drifted_is_mended_while_a_longer_retention_is_left(
    client: Client, environment: str
) -> None:
    (namespace,) = wanted(environment)
    await apply(client, [namespace])
    await change(client, namespace.name, retention_days=90, data={"owner": "nobody"})

    (done,) = await apply(client, [namespace])

    assert ([drift.field for drift in done.mended], [drift.field for drift in done.left]) == (["owner"], ["retention"])


async def test_a_namespace_of_something_else_is_not_taken_over(client: Client, environment: str) -> None:
    (namespace,) = wanted(environment)
    other = replace(namespace, data={**namespace.data, "family": "backfills"})
    await apply(client, [other])

    with pytest.raises(Fatal, match="family is 'backfills'") as caught:
        await apply(client, [namespace])

    assert caught.value.hint
    assert await check(client, [other]) == []


async def test_one_that_somebody_made_by_hand_is_adopted(client: Client, environment: str) -> None:
    (namespace,) = wanted(environment)
    await apply(client, [Namespace(name=namespace.name, description="", retention=timedelta(days=1), data={})])

    (done,) = await apply(client, [namespace])

    assert (done.outcome, done.left) == (Outcome.MENDED, ())
    assert await check(client, [namespace]) == []


async def test_many_may_apply_at_once(client: Client, environment: str) -> None:
    done = await asyncio.gather(*(apply(client, wanted(environment)) for _ in range(5)))

    assert all(not each.left for (each,) in done)
    assert [each.outcome for (each,) in done].count(Outcome.CREATED) == 1
    assert await check(client, wanted(environment)) == []


@pytest.mark.req("OR-50")
async def test_a_tenant_gets_its_own_beside_the_shared_ones(client: Client, environment: str) -> None:
    await apply(client, wanted(environment))

    done = await apply(client, wanted(environment, tenant="acme"))

    assert outcomes(done) == [(f"{environment}.harvesters.acme", Outcome.CREATED)]
    assert await check(client, wanted(environment)) == []
    own = await describe(client, f"{environment}.harvesters.acme")
    assert own
    assert own.data["tenant"] == "acme"


@pytest.mark.req("OR-5")
async def test_a_worker_starts_in_the_namespace_of_its_environment_and_family(
    client: Client, environment: str, temporal_address: str
) -> None:
    await apply(client, wanted(environment))

    await require(
        await standing_in(temporal_address, f"{environment}.harvesters"), environment=environment, family="harvesters"
    )


@pytest.mark.req("OR-5")
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"family": "backfills"}, "has family 'harvesters', where 'backfills' is due"),
        ({"environment": "prod"}, "where 'prod' is due"),
        ({"tenant": "acme"}, "has tenant 'none', where 'acme' is due"),
    ],
)
async def test_a_worker_refuses_a_namespace_that_is_meant_for_something_else(
    client: Client, environment: str, temporal_address: str, changed: dict[str, str], told: str
) -> None:
    await apply(client, wanted(environment))
    due = {"environment": environment, "family": "harvesters"} | changed

    with pytest.raises(Fatal, match=told) as caught:
        await require(await standing_in(temporal_address, f"{environment}.harvesters"), **due)

    assert caught.value.code is Code.CONFIGURATION


@pytest.mark.req("OR-5")
async def test_a_worker_refuses_a_namespace_that_is_not_there(environment: str, temporal_address: str) -> None:
    absent = await standing_in(temporal_address, f"{environment}.harvesters")

    with pytest.raises(Fatal, match="there is no namespace") as caught:
        await require(absent, environment=environment, family="harvesters")

    assert "windrow namespaces apply" in (caught.value.hint or "")


@pytest.mark.req("OR-5")
async def test_a_worker_refuses_a_namespace_that_says_nothing_of_itself(temporal_address: str) -> None:
    with pytest.raises(Fatal, match="'default' has environment 'none'"):
        await require(await standing_in(temporal_address, "default"), environment="dev", family="harvesters")


async def test_one_that_is_deprecated_is_drift_that_nobody_mends_by_himself(
    client: Client, environment: str, temporal_address: str
) -> None:
    (namespace,) = wanted(environment)
    await apply(client, [namespace])
    await change(client, namespace.name, state=NamespaceState.NAMESPACE_STATE_DEPRECATED)

    assert [drift.field for drift in await check(client, [namespace])] == ["state"]
    with pytest.raises(Fatal, match="state"):
        await apply(client, [namespace])
    with pytest.raises(Fatal, match="deprecated"):
        await require(await standing_in(temporal_address, namespace.name), environment=environment, family="harvesters")
