"""`windrow namespaces`, as an operator and a deployment run it."""

import json
import secrets

import pytest
from tests.stories.conftest import Machine


@pytest.fixture
def deployment(machine: Machine, temporal_address: str) -> Machine:
    """A machine whose Temporal is somebody else's server, in an environment of its own."""
    machine.environment |= {
        "WINDROW_TEMPORAL_ADDRESS": temporal_address,
        "WINDROW_ENVIRONMENT": f"t{secrets.token_hex(6)}",
        "WINDROW_NAMESPACE_SEPARATOR": "-",
    }
    return machine


@pytest.mark.req("OR-2")
def test_a_missing_namespace_fails_a_deployment_until_it_is_applied(deployment: Machine) -> None:
    environment = deployment.environment["WINDROW_ENVIRONMENT"]
    names = [f"{environment}-{family}" for family in ("harvesters", "backfills", "experiments")]

    missing = deployment.run("namespaces", "check")
    applied = deployment.run("namespaces", "apply")
    checked = deployment.run("namespaces", "check")

    assert missing.returncode == 1
    assert [line.split(":")[0] for line in missing.stdout.splitlines()] == names
    assert (applied.returncode, applied.stdout.splitlines()) == (0, [f"{name}: created" for name in names])
    assert (checked.returncode, checked.stdout.splitlines()) == (0, [f"{name}: as declared" for name in names])


@pytest.mark.req("OR-50")
def test_a_tenant_that_is_taken_on_gets_the_namespaces_that_it_asks_for(deployment: Machine) -> None:
    environment = deployment.environment["WINDROW_ENVIRONMENT"]

    (done,) = deployment.answer("namespaces", "apply", "--tenant", "acme", "--family", "harvesters")

    assert (done["namespace"], done["outcome"]) == (f"{environment}-harvesters-acme", "created")
    shared = deployment.run("namespaces", "check", "--family", "harvesters", "--json")
    assert shared.returncode == 1
    assert json.loads(shared.stdout)["drift"][0]["namespace"] == f"{environment}-harvesters"


def test_without_a_temporal_it_says_what_to_do(machine: Machine) -> None:
    done = machine.run("namespaces", "check")

    assert done.returncode == 4
    assert "windrow up" in done.stderr
