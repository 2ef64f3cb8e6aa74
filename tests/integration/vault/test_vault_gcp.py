"""`gcp-sm:` references against a server that speaks the real protocol."""

import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from starlette.responses import HTMLResponse, JSONResponse
from tests.conftest import Said
from tests.fakes.secret_manager import PROJECT, FakeSecretManager

from windrow.app.operators import backends
from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient, ValidationFailure, WindrowError
from windrow.settings import Settings
from windrow.vault import Grants, Vault

ALLOWED = ["gcp-sm:{tenant}-github", "gcp-sm:acme-*", f"gcp-sm:projects/{PROJECT}/secrets/acme-*/versions/*"]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSecretManager]:
    with FakeSecretManager() as manager:
        manager.put("acme-github", b"sm-canary-1")
        manager.put("acme-service", b'{"user": "windrow", "password": "pw-canary"}')
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(manager.account(tmp_path)))
        yield manager


@pytest.fixture
async def vault(fake: FakeSecretManager) -> AsyncIterator[Vault]:
    """As a process would open it."""
    settings = Settings(gcp_endpoint=fake.base_url)
    async with Vault(backends(settings, {}), Grants.parse(ALLOWED)) as opened:
        yield opened


async def refusal(vault: Vault, reference: str = "gcp-sm:acme-github") -> WindrowError:
    with pytest.raises(WindrowError) as raised:
        await vault.refresh(reference, "acme")
    assert "canary" not in f"{raised.value} {raised.value.__cause__!r}"
    return raised.value


@pytest.mark.req("HV-3")
async def test_a_secret_is_read_whole_by_field_and_by_version(fake: FakeSecretManager, vault: Vault) -> None:
    fake.put("acme-github", b"sm-canary-2")

    assert (await vault.resolve("gcp-sm:acme-github", "acme")).reveal() == "sm-canary-2"
    assert (await vault.resolve("gcp-sm:acme-service#password", "acme")).reveal() == "pw-canary"
    pinned = f"gcp-sm:projects/{PROJECT}/secrets/acme-github/versions/1"
    assert (await vault.resolve(pinned, "acme")).reveal() == "sm-canary-1"
    # one token for all of them
    assert [each.path for each in fake.requests].count("/token") == 1


@pytest.mark.req("HV-3")
async def test_a_rotated_secret_is_read_after_the_old_one_was_refused(fake: FakeSecretManager, vault: Vault) -> None:
    old = await vault.resolve("gcp-sm:acme-github", "acme")
    fake.put("acme-github", b"sm-canary-2")

    assert await vault.resolve("gcp-sm:acme-github", "acme") == old
    assert (await vault.refresh("gcp-sm:acme-github", "acme")).reveal() == "sm-canary-2"


async def test_a_token_that_has_run_out_is_got_anew(fake: FakeSecretManager, vault: Vault) -> None:
    await vault.resolve("gcp-sm:acme-github", "acme")
    fake.tokens.clear()

    assert (await vault.refresh("gcp-sm:acme-github", "acme")).reveal() == "sm-canary-1"
    assert [each.path for each in fake.requests].count("/token") == 2


async def test_what_is_not_there_or_was_destroyed_is_a_missing_credential(
    fake: FakeSecretManager, vault: Vault
) -> None:
    assert (await refusal(vault, "gcp-sm:acme-absent")).code is Code.CREDENTIAL_MISSING
    fake.versions["acme-github"][-1] = None
    assert (await refusal(vault)).code is Code.CREDENTIAL_MISSING


async def test_what_google_answers_is_told_in_our_family(fake: FakeSecretManager, vault: Vault) -> None:
    fake.forbidden.add("acme-service")
    error = await refusal(vault, "gcp-sm:acme-service")
    assert (type(error), error.code) == (Fatal, Code.FORBIDDEN)
    for status, kind in {
        429: RateLimited,
        500: RetryableTransient,
        503: RetryableTransient,
        302: ValidationFailure,
    }.items():
        fake.before = lambda _, status=status: JSONResponse({"error": {"message": "canary"}}, status)  # type: ignore[misc]
        assert type(await refusal(vault)) is kind, status
    fake.before = lambda _: HTMLResponse("<p>please log in</p>")
    assert (await refusal(vault)).code is Code.INVALID_VALUE


async def test_an_identity_that_was_disabled_is_told_as_such(fake: FakeSecretManager, vault: Vault) -> None:
    fake.disabled = True

    error = await refusal(vault)

    assert (type(error), error.code) == (Fatal, Code.UNAUTHORIZED)


async def test_a_secret_of_bytes_is_refused(fake: FakeSecretManager, vault: Vault) -> None:
    fake.put("acme-github", b"\xff\xfe canary")

    assert (await refusal(vault)).code is Code.INVALID_VALUE


async def test_what_is_not_there_on_this_machine_is_said(
    fake: FakeSecretManager, vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as without:
        without.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
        error = await refusal(vault)
        assert (type(error), error.code) == (Fatal, Code.UNAUTHORIZED)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "google.auth", None)
        assert (await refusal(vault)).hint == "pip install 'windrow[gcp]'"
    fake.close()
    assert (await refusal(vault)).code is Code.NETWORK
    fake.start()


@pytest.mark.req("HV-3", "HV-40", "LT-3")
async def test_no_value_is_in_a_log_even_at_the_librarys_most_talkative(
    fake: FakeSecretManager, vault: Vault, said: Said
) -> None:
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        await vault.refresh("gcp-sm:acme-github", "acme")
    finally:
        logging.getLogger().setLevel(logging.WARNING)

    assert said.raw
    assert not [line for line in said.raw if "canary" in line or any(token in line for token in fake.tokens)]
