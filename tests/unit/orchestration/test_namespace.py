"""A namespace's name and in what one differs from what is declared."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.orchestration.namespace import Drift, Found, declared, differences, named
from windrow.settings import read
from windrow.specs import load

SPECS = load()
WANTED = declared(SPECS, "prod", ".")[0]
THERE = Found(description=WANTED.description, retention=WANTED.retention, data=WANTED.data)


@pytest.mark.req("OR-1")
def test_there_is_a_namespace_for_each_family_of_an_environment() -> None:
    found = {each.name: each for each in declared(SPECS, "prod", ".")}

    assert list(found) == ["prod.harvesters", "prod.backfills", "prod.experiments"]
    assert found["prod.harvesters"].retention == timedelta(days=30)
    assert found["prod.experiments"].retention == timedelta(days=7)
    assert found["prod.harvesters"].data == {
        "environment": "prod",
        "family": "harvesters",
        "tenant": "",
        "owner": "metadata-platform",
        "contact": "#metadata-ops",
        "encryption": "alias/windrow-harvesters",
    }


def test_the_separator_is_the_operators() -> None:
    assert named("prod", "-", "harvesters") == "prod-harvesters"


@pytest.mark.req("OR-50")
def test_a_tenant_can_have_its_own() -> None:
    (own,) = declared(SPECS, "prod", ".", tenant="acme", families=["harvesters"])

    assert own.name == "prod.harvesters.acme"
    assert own.data["tenant"] == "acme"
    assert own.description.endswith("For the tenant acme alone.")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("WINDROW_ENVIRONMENT", "Prod"), ("WINDROW_ENVIRONMENT", "a.b"), ("WINDROW_NAMESPACE_SEPARATOR", "/")],
)
def test_a_setting_that_makes_no_name_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(Fatal, match=variable):
        read()


parts = some.tuples(
    some.from_regex(r"[a-z][a-z0-9]{0,3}", fullmatch=True),
    some.from_regex(r"[a-z][a-z0-9]{0,3}", fullmatch=True),
    some.none() | some.from_regex(r"[a-z0-9]([a-z0-9._-]{0,4}[a-z0-9])?", fullmatch=True),
)


@given(parts, parts, some.sampled_from("._-"))
def test_no_two_namespaces_share_a_name(
    one: tuple[str, str, str | None], other: tuple[str, str, str | None], separator: str
) -> None:
    same = named(one[0], separator, *one[1:]) == named(other[0], separator, *other[1:])

    assert same == (one == other)


@pytest.mark.parametrize("tenant", ["No Name", "a/b", "-", "x" * 65])
def test_a_tenant_that_is_no_name_is_refused(tenant: str) -> None:
    with pytest.raises(ValidationFailure, match="is not a name"):
        declared(SPECS, "prod", ".", tenant=tenant)


def test_a_family_that_nobody_declared_is_refused() -> None:
    with pytest.raises(ValidationFailure, match="no family 'harvester'"):
        declared(SPECS, "prod", ".", families=["harvester"])


def test_one_that_is_as_declared_has_no_drift_whatever_else_its_data_says() -> None:
    assert differences(WANTED, THERE) == []
    assert differences(WANTED, replace(THERE, data={**WANTED.data, "cost-centre": "7"})) == []


def test_one_that_is_missing_is_one_drift() -> None:
    assert differences(WANTED, None) == [Drift("prod.harvesters", "namespace", "prod.harvesters", None)]


@pytest.mark.req("OR-2")
@pytest.mark.parametrize(
    ("found", "field", "told"),
    [
        (replace(THERE, description="other"), "description", "description is 'other'"),
        (replace(THERE, retention=timedelta(days=1)), "retention", "retention is '1 day', and declared as '30 days'"),
        (replace(THERE, retention=timedelta(hours=36)), "retention", "retention is '1.5 days'"),
        (replace(THERE, data={**WANTED.data, "owner": "nobody"}), "owner", "owner is 'nobody'"),
        (replace(THERE, data={**WANTED.data, "contact": ""}), "contact", "contact is not there"),
        (replace(THERE, data={**WANTED.data, "encryption": "alias/old"}), "encryption", "encryption is 'alias/old'"),
        (replace(THERE, data={**WANTED.data, "family": "backfills"}), "family", "family is 'backfills'"),
        (replace(THERE, data={**WANTED.data, "tenant": "acme"}), "tenant", "tenant is 'acme'"),
        (replace(THERE, usable=False), "state", "state is 'deprecated or deleted'"),
    ],
)
def test_each_field_that_has_drifted_is_told(found: Found, field: str, told: str) -> None:
    (drift,) = differences(WANTED, found)

    assert drift.field == field
    assert told in str(drift)
