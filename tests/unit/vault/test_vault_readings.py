"""Few readings, shared by many, and never an old one for whoever needs a new one."""

import asyncio
from datetime import timedelta

import pytest

from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.vault import Grants, Secret, Vault
from windrow.vault.grants import Permitted


class Clock:
    """Time that moves when told."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Place:
    """Somewhere outside that credentials are kept; it answers when it is let, and counts."""

    scheme = "env"

    def __init__(self) -> None:
        self.reads = 0
        self.read_for: set[str] = set()
        self.value = "first value"
        self.failure: Exception | None = None
        self.asked = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def read(self, permitted: Permitted) -> str:
        self.reads += 1
        self.read_for.add(permitted.tenant_id)
        value = self.value
        self.asked.set()
        await self.open.wait()
        if self.failure:
            raise self.failure
        return value


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(place: Place, clock: Clock) -> Vault:
    return Vault([place], Grants.parse(["env:*"]), clock=clock)


async def test_a_thousand_pages_read_a_credential_once(vault: Vault, place: Place) -> None:
    for _ in range(1000):
        await vault.resolve("env:TOKEN", "acme")

    assert place.reads == 1


async def test_concurrent_callers_share_one_reading(vault: Vault, place: Place) -> None:
    secrets = await asyncio.gather(*[vault.resolve("env:TOKEN", "acme") for _ in range(100)])

    assert place.reads == 1
    assert {secret.reveal() for secret in secrets} == {"first value"}


async def test_the_fields_of_one_document_are_one_reading(vault: Vault, place: Place) -> None:
    place.value = '{"user": "windrow", "password": "p4ssw0rd"}'

    user = await vault.resolve("env:TOKEN#user", "acme")
    password = await vault.resolve("env:TOKEN#password", "acme")

    assert (user.reveal(), password.reveal(), place.reads) == ("windrow", "p4ssw0rd", 1)


async def test_tenants_share_no_reading(vault: Vault, place: Place) -> None:
    await vault.resolve("env:TOKEN", "acme")
    await vault.resolve("env:TOKEN", "other")

    assert place.read_for == {"acme", "other"}


async def test_after_a_minute_it_is_read_again(vault: Vault, place: Place, clock: Clock) -> None:
    await vault.resolve("env:TOKEN", "acme")
    place.value = "second value"

    clock.now += 59
    assert (await vault.resolve("env:TOKEN", "acme")).reveal() == "first value"
    clock.now += 2
    assert (await vault.resolve("env:TOKEN", "acme")).reveal() == "second value"


async def test_a_refresh_reads_what_replaced_the_refused_one_and_serves_it_to_all(vault: Vault, place: Place) -> None:
    refused = await vault.resolve("env:TOKEN", "acme")
    place.value = "second value"

    fresh = await vault.refresh("env:TOKEN", "acme")

    assert fresh != refused
    assert fresh.reveal() == (await vault.resolve("env:TOKEN", "acme")).reveal() == "second value"
    assert place.reads == 2


async def test_a_refresh_is_not_served_by_a_reading_that_began_before_it(vault: Vault, place: Place) -> None:
    place.open.clear()
    early = asyncio.create_task(vault.resolve("env:TOKEN", "acme"))
    await place.asked.wait()
    place.value = "second value"
    late = [asyncio.create_task(vault.refresh("env:TOKEN", "acme")) for _ in range(50)]
    place.open.set()

    assert (await early).reveal() == "first value"
    assert {secret.reveal() for secret in await asyncio.gather(*late)} == {"second value"}
    assert place.reads == 2


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered(vault: Vault, place: Place) -> None:
    place.failure = RetryableTransient("away")
    failures = await asyncio.gather(*[vault.resolve("env:TOKEN", "acme") for _ in range(10)], return_exceptions=True)
    place.failure = None

    assert all(isinstance(failure, RetryableTransient) for failure in failures)
    assert (await vault.resolve("env:TOKEN", "acme")).reveal() == "first value"
    assert place.reads == 2


async def test_one_caller_that_gives_up_does_not_take_the_reading_from_the_others(vault: Vault, place: Place) -> None:
    place.open.clear()
    impatient = asyncio.create_task(vault.resolve("env:TOKEN", "acme"))
    patient = asyncio.create_task(vault.resolve("env:TOKEN", "acme"))
    await place.asked.wait()

    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    place.open.set()

    assert (await patient).reveal() == "first value"
    assert place.reads == 1


async def test_closing_ends_what_is_being_read(place: Place, clock: Clock) -> None:
    place.open.clear()
    async with Vault([place], Grants.parse(["env:*"]), clock=clock) as vault:
        waiting = asyncio.create_task(vault.resolve("env:TOKEN", "acme"))
        await place.asked.wait()

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_what_a_tenant_may_no_longer_name_is_not_served_from_memory(vault: Vault) -> None:
    await vault.resolve("env:TOKEN", "acme")

    with pytest.raises(ValidationFailure):
        await vault.resolve("env:TOKEN", "Not A Tenant")


async def test_an_error_that_a_place_did_not_translate_is_told_by_its_kind_alone(vault: Vault, place: Place) -> None:
    place.failure = KeyError("first value, which is the secret")

    with pytest.raises(RetryableTransient) as raised:
        await vault.resolve("env:TOKEN", "acme")

    assert "KeyError" in raised.value.message
    assert "which is the secret" not in raised.value.message
    assert raised.value.__context__ is None


async def test_a_place_that_never_answers_is_a_timeout(place: Place) -> None:
    place.open.clear()
    vault = Vault([place], Grants.parse(["env:*"]), patience=timedelta(milliseconds=20))

    with pytest.raises(RetryableTransient) as raised:
        await vault.resolve("env:TOKEN", "acme")

    assert raised.value.code is Code.TIMEOUT


@pytest.mark.parametrize(
    ("document", "kind", "code"),
    [
        ("not json at all", ValidationFailure, Code.INVALID_VALUE),
        ('["a", "list"]', ValidationFailure, Code.INVALID_VALUE),
        ('{"field": 42}', ValidationFailure, Code.INVALID_VALUE),
        ('{"field": ""}', Fatal, Code.CREDENTIAL_MISSING),
        ('{"other": "x"}', Fatal, Code.CREDENTIAL_MISSING),
        ("[" * 5_000, ValidationFailure, Code.INVALID_VALUE),
    ],
)
async def test_a_field_that_is_not_there_is_told_without_the_document(
    vault: Vault, place: Place, document: str, kind: type[Exception], code: Code
) -> None:
    place.value = document

    with pytest.raises(kind) as raised:
        await vault.resolve("env:TOKEN#field", "acme")

    assert getattr(raised.value, "code", None) is code
    assert document not in str(raised.value)
    assert raised.value.__context__ is None


async def test_every_read_is_a_secret_of_its_own(vault: Vault) -> None:
    first = await vault.resolve("env:TOKEN", "acme")
    second = await vault.refresh("env:TOKEN", "acme")

    assert isinstance(first, Secret)
    assert first is not second
