"""`env:` references, through the whole vault."""

import pytest
from prometheus_client import REGISTRY, generate_latest
from tests.conftest import Said, Spans

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.vault import Grants, Vault
from windrow.vault.environment import Environment

CANARY = "env-canary-7d1f"
VARIABLES = {
    "WINDROW_SECRET_GITHUB": CANARY,
    "WINDROW_SECRET_EMPTY": "",
    "WINDROW_SECRET_ODD": "x\udcff-not-utf8",
    "WINDROW_DATABASE_URL": "postgresql://owner:db-canary-55@localhost/windrow",
}


@pytest.fixture
def vault() -> Vault:
    return Vault([Environment(VARIABLES)], Grants.parse(["env:WINDROW_SECRET_*"]))


@pytest.mark.req("HV-3")
async def test_a_credential_is_resolved_at_run_time(vault: Vault) -> None:
    assert (await vault.resolve("env:WINDROW_SECRET_GITHUB", "acme")).reveal() == CANARY


@pytest.mark.req("HV-3")
async def test_a_variable_that_is_not_allowed_is_not_read_and_the_refusal_is_told(vault: Vault, said: Said) -> None:
    with pytest.raises(Fatal) as raised:
        await vault.resolve("env:WINDROW_DATABASE_URL", "acme")

    assert raised.value.code is Code.FORBIDDEN
    (line,) = said.events("credential.refused")
    assert (line["credential_ref"], line["tenant_id"], line["level"]) == ("env:WINDROW_DATABASE_URL", "acme", "WARN")


@pytest.mark.parametrize("name", ["WINDROW_SECRET_EMPTY", "WINDROW_SECRET_ABSENT"])
async def test_a_variable_without_a_value_is_a_missing_credential(vault: Vault, name: str) -> None:
    with pytest.raises(Fatal) as raised:
        await vault.resolve(f"env:{name}", "acme")

    assert raised.value.code is Code.CREDENTIAL_MISSING
    assert name in str(raised.value.hint)


async def test_a_value_that_is_not_text_is_refused(vault: Vault) -> None:
    with pytest.raises(ValidationFailure, match="not valid text"):
        await vault.resolve("env:WINDROW_SECRET_ODD", "acme")


async def test_a_scheme_that_is_not_served_names_those_that_are(vault: Vault) -> None:
    with pytest.raises(ValidationFailure) as raised:
        await vault.resolve("gcp-sm:x", "acme")

    assert "env" in str(raised.value.hint)


@pytest.mark.req("HV-3", "HV-40", "LT-3")
async def test_the_value_appears_nowhere_around_a_resolution(vault: Vault, said: Said, spans: Spans) -> None:
    await vault.resolve("env:WINDROW_SECRET_GITHUB", "acme")
    await vault.refresh("env:WINDROW_SECRET_GITHUB", "acme")

    assert [line["event"] for line in said.lines] == ["credential.refreshed"]
    assert len(spans.named("vault.read")) == 2
    everything = [*said.raw, *(span.to_json() for span in spans.named("vault.read"))]
    everything += [generate_latest(REGISTRY).decode(), repr(vault), str(vars(vault))]
    assert not [text for text in everything if CANARY in text]
