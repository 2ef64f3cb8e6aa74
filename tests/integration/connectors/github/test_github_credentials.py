"""Who asks: nobody, a token's holder, an App's installation. What each sees, and that nothing of it is shown."""

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.fakes.github import GitHub
from tests.fakes.github.wire import user
from tests.integration.connectors.github.reading import Reader

from windrow.contracts.errors import Code, Fatal

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
APP = {"app_id": "1234", "installation_id": 77}


@pytest.fixture
def both(hub: GitHub) -> GitHub:
    """One repository that everybody sees, and one that only some do."""
    hub.account.issue(hub.account.add("public"), "the first")
    hub.account.issue(hub.account.add("secret", private=True), "the second")
    return hub


def names(reader: Reader) -> list[str]:
    return sorted(one.display_name for one in reader.there.values() if one.entity_type == "repository")


async def test_nobody_sees_what_is_public(both: GitHub, reader: Reader) -> None:
    reader.secret = None

    await reader.run(prepared=True)

    assert names(reader) == ["acme/public"]
    assert not any("authorization" in each.headers for each in both.requests)


async def test_a_token_sees_what_its_holder_may_see(both: GitHub, reader: Reader) -> None:
    await reader.run(prepared=True)

    assert names(reader) == ["acme/public", "acme/secret"]


@pytest.mark.parametrize(("holder", "seen"), [(4242, ["acme/public", "acme/secret"]), (1, ["acme/public"])])
async def test_of_a_user_what_is_private_is_seen_with_his_own_token_only(
    tmp_path: Path, holder: int, seen: list[str]
) -> None:
    with GitHub(kind="User") as hub:
        hub.me = user("acme", holder)
        hub.account.add("public")
        hub.account.add("secret", private=True)
        reader = Reader(hub, tmp_path, secret=hub.credential)

        await reader.run(prepared=True)

        assert names(reader) == seen


async def test_an_app_asks_with_the_token_of_its_installation(both: GitHub, reader: Reader) -> None:
    both.app_key, reader.secret, reader.config = KEY.public_key(), PEM, APP
    both.installed_elsewhere = [both.account.add("not-ours", private=True)]

    await reader.run(prepared=True)

    assert names(reader) == ["acme/public", "acme/secret"], "the App may be installed on more than the owner's"
    assert both.exchanged == 1
    proofs = {each.headers["authorization"].partition(" ")[2] for each in both.requests if each.method == "GET"}
    assert proofs == {"ghs_installation000000000000000000000001"}
    shown = f"{reader.cursor} {reader.said} {reader.held} {reader.notes.kept}"
    assert "ghs_" not in shown
    assert "PRIVATE" not in shown


async def test_the_token_of_an_installation_is_renewed_before_it_runs_out(both: GitHub, reader: Reader) -> None:
    both.app_key, reader.secret, reader.config = KEY.public_key(), PEM, APP
    async with reader.open() as connector:
        await connector.prepare()
        reader.ahead = timedelta(minutes=56)
        both.account.tick(56 * 60)
        connector._account = None
        await connector.prepare()

    assert both.exchanged == 2
    assert 401 not in {each.status for each in both.requests}


async def test_a_token_of_an_installation_that_is_refused_is_renewed_once(both: GitHub, reader: Reader) -> None:
    both.app_key, reader.secret, reader.config = KEY.public_key(), PEM, APP
    async with reader.open() as connector:
        await connector.prepare()
        both.tokens.clear()
        connector._account = None
        await connector.prepare()

    assert both.exchanged == 2


@pytest.mark.parametrize(
    ("secret", "config"),
    [("no key at all", APP), (PEM, APP | {"installation_id": 78}), (PEM, APP | {"app_id": "9"}), (None, APP)],
    ids=["no key", "no installation", "another app", "none"],
)
async def test_an_app_that_is_not_accepted_is_fatal_and_its_key_is_not_told(
    both: GitHub, reader: Reader, secret: str | None, config: dict[str, object]
) -> None:
    both.app_key, reader.secret, reader.config = KEY.public_key(), secret, config

    with pytest.raises(Fatal) as told:
        await reader.run(prepared=True)

    assert told.value.code in (Code.UNAUTHORIZED, Code.CREDENTIAL_MISSING)
    assert told.value.hint
    assert "no key at all" not in str(told.value)
