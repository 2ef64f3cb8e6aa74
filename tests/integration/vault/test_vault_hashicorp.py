"""`vault:` references against a server that speaks the real protocol."""

import logging
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.fakes.hashicorp_vault import FakeVault, Token

from windrow.app.operators import backends
from windrow.contracts.errors import Code, Fatal, RateLimited, RetryableTransient, ValidationFailure, WindrowError
from windrow.settings import Settings
from windrow.vault import Grants, Secret, Vault
from windrow.vault.hashicorp_door import Door
from windrow.vault.hashicorp_tokens import AppRole, Tokens

ROLE, SECRET_ID = "role-1", "secret-id-canary-1"


@pytest.fixture
def fake() -> Iterator[FakeVault]:
    with FakeVault() as vault:
        vault.put("acme/github", token="kv-canary-1", user="windrow")
        vault.put("other/github", token="not yours")
        vault.roles[ROLE] = SECRET_ID, Token(("acme/",))
        yield vault


@asynccontextmanager
async def opened(fake: FakeVault, environment: Mapping[str, str], **settings: str) -> AsyncIterator[Vault]:
    """As a process would open it."""
    given = Settings(vault_address=fake.base_url, **settings)  # type: ignore[arg-type]
    async with Vault(backends(given, environment), Grants.parse(["vault:secret/{tenant}/*"])) as vault:
        yield vault


def with_token(fake: FakeVault, token: str) -> AsyncIterator[Vault]:
    return opened(fake, {"OWN": token}, vault_token_ref="env:OWN")  # type: ignore[return-value]


def with_role(fake: FakeVault, secret_id: str = SECRET_ID) -> AsyncIterator[Vault]:
    return opened(fake, {"OWN": secret_id}, vault_role_id=ROLE, vault_secret_id_ref="env:OWN")  # type: ignore[return-value]


async def refusal(vault: Vault, reference: str = "vault:secret/acme/github#token") -> WindrowError:
    with pytest.raises(WindrowError) as raised:
        await vault.refresh(reference, "acme")
    assert "canary" not in f"{raised.value} {raised.value.__cause__!r}"
    return raised.value


@pytest.mark.req("HV-3")
async def test_a_field_of_a_secret_is_read_with_a_token_and_with_a_role(fake: FakeVault) -> None:
    for way in (with_token(fake, fake.token("acme/")), with_role(fake)):
        async with way as vault:
            assert (await vault.resolve("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"
            assert (await vault.resolve("vault:secret/acme/github#user", "acme")).reveal() == "windrow"
            # both fields are one reading, and a role logs in once
            await vault.refresh("vault:secret/acme/github#user", "acme")
    reads = [each.line for each in fake.requests if "/data/" in each.line]
    assert len(reads) == 4
    assert [each.path for each in fake.requests if "login" in each.path] == ["/v1/auth/approle/login"]


@pytest.mark.req("HV-3")
async def test_a_rotated_secret_is_read_after_the_old_one_was_refused(fake: FakeVault) -> None:
    async with with_role(fake) as vault:
        old = await vault.resolve("vault:secret/acme/github#token", "acme")
        fake.put("acme/github", token="kv-canary-2")

        assert await vault.resolve("vault:secret/acme/github#token", "acme") == old
        assert (await vault.refresh("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-2"


async def test_what_is_not_there_or_was_deleted_is_a_missing_credential(fake: FakeVault) -> None:
    async with with_role(fake) as vault:
        for reference in ("vault:secret/acme/absent#token", "vault:secret/acme/github#absent"):
            assert (await refusal(vault, reference)).code is Code.CREDENTIAL_MISSING
        fake.delete_latest("acme/github")
        error = await refusal(vault)

    assert error.code is Code.CREDENTIAL_MISSING
    assert "vault:secret/acme/github#token" in error.message


async def test_a_path_that_the_policy_does_not_allow_is_told_and_a_sealed_vault_waited_for(fake: FakeVault) -> None:
    for way in (with_token(fake, fake.token("elsewhere/")), with_token(fake, "hvs.unknown-canary")):
        async with way as vault:
            error = await refusal(vault)
            assert (type(error), error.code) == (Fatal, Code.FORBIDDEN)
    fake.sealed = True
    async with with_role(fake) as vault:
        error = await refusal(vault)
        assert (type(error), error.code) == (RetryableTransient, Code.UNAVAILABLE)
        fake.sealed = False
        assert (await vault.resolve("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"


async def test_a_role_whose_token_has_run_out_logs_in_again(fake: FakeVault) -> None:
    async with with_role(fake) as vault:
        await vault.resolve("vault:secret/acme/github#token", "acme")
        fake.revoke_all()

        assert (await vault.refresh("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"
    assert [each.path for each in fake.requests if "login" in each.path] == ["/v1/auth/approle/login"] * 2


async def test_a_role_that_is_refused_is_told_as_such(fake: FakeVault) -> None:
    async with with_role(fake, "wrong-canary") as vault:
        error = await refusal(vault)

    assert (type(error), error.code) == (Fatal, Code.UNAUTHORIZED)


async def test_a_token_that_was_replaced_in_its_file_is_picked_up(fake: FakeVault, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(fake.token("acme/"))
    async with opened(fake, {}, vault_token_ref=f"file:{file}") as vault:
        await vault.resolve("vault:secret/acme/github#token", "acme")
        fake.revoke_all()
        file.write_text(fake.token("acme/"))

        assert (await vault.refresh("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"


async def test_a_token_is_renewed_before_its_time_is_over_and_got_anew_when_that_fails(fake: FakeVault) -> None:
    fake.roles[ROLE] = SECRET_ID, Token(("acme/",), ttl=90, most_renewals=1)
    now = 0.0

    async def own(_: bool) -> Secret:
        return Secret(SECRET_ID)

    tokens = Tokens(Door(fake.base_url), AppRole(ROLE, own), clock=lambda: now)
    first = await tokens.valid()
    now = 59.0
    assert await tokens.valid() == first
    now = 61.0
    assert await tokens.valid() == first
    now = 125.0
    another = await tokens.valid()

    assert another != first
    paths = [each.path.rpartition("/")[2] for each in fake.requests]
    assert paths == ["login", "renew-self", "renew-self", "login"]


async def test_a_token_that_may_not_ask_about_itself_still_reads(fake: FakeVault) -> None:
    async with with_token(fake, fake.token("acme/", default_policy=False)) as vault:
        assert (await vault.resolve("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"


async def test_what_vault_answers_is_told_in_our_family(fake: FakeVault) -> None:
    from starlette.responses import HTMLResponse, JSONResponse

    expected = {
        429: (RateLimited, Code.RATE_LIMITED),
        500: (RetryableTransient, Code.UNAVAILABLE),
        412: (RetryableTransient, Code.UNAVAILABLE),
        400: (ValidationFailure, Code.REFUSED),
    }
    async with with_role(fake) as vault:
        await vault.resolve("vault:secret/acme/github#token", "acme")
        for status, (kind, code) in expected.items():
            fake.before = lambda _, status=status: JSONResponse({"errors": ["canary"]}, status)  # type: ignore[misc]
            error = await refusal(vault)
            assert (type(error), error.code) == (kind, code), status
        fake.before = lambda _: HTMLResponse("<p>please log in</p>")
        assert (await refusal(vault)).code is Code.INVALID_VALUE


async def test_a_vault_that_is_away_is_transient() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        settings = Settings(vault_address=f"http://127.0.0.1:{taken.getsockname()[1]}", vault_token_ref="env:OWN")
        async with Vault(backends(settings, {"OWN": "t"}), Grants.parse(["vault:secret/*"])) as vault:
            error = await refusal(vault, "vault:secret/x#y")

    assert (type(error), error.code) == (RetryableTransient, Code.NETWORK)


async def test_what_is_not_configured_or_installed_is_said(fake: FakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(fake, {}) as vault:
        assert "WINDROW_VAULT_TOKEN_REF" in ((await refusal(vault)).hint or "")
    nowhere = Settings(vault_token_ref="env:OWN")
    async with Vault(backends(nowhere, {"OWN": "t"}), Grants.parse(["vault:secret/{tenant}/*"])) as vault:
        assert (await refusal(vault)).hint == "set WINDROW_VAULT_ADDRESS"
    monkeypatch.setitem(sys.modules, "hvac", None)
    async with with_role(fake) as vault:
        assert (await refusal(vault)).hint == "pip install 'windrow[vault]'"


async def test_nothing_of_the_environment_has_a_word(fake: FakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_TOKEN", fake.token("acme/"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with with_role(fake) as vault:
        assert (await vault.resolve("vault:secret/acme/github#token", "acme")).reveal() == "kv-canary-1"
    login = next(each for each in fake.requests if "login" in each.path)
    assert "x-vault-token" not in login.headers


@pytest.mark.req("HV-3", "HV-40", "LT-3")
async def test_no_value_is_in_a_log_even_at_the_librarys_most_talkative(fake: FakeVault, said: Said) -> None:
    fake.put("acme/unseen", token="unseen-canary-that-no-redactor-knows-yet")
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        async with with_role(fake) as vault:
            await vault.refresh("vault:secret/acme/unseen#token", "acme")
    finally:
        logging.getLogger().setLevel(logging.WARNING)

    assert said.raw
    assert not [line for line in said.raw if "canary" in line]
