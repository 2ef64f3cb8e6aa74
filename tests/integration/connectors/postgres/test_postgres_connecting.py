"""The way to a server, and what a server cannot do to us."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.fakes.certificates import Authority
from tests.integration.connectors.postgres.conftest import Opened
from tests.integration.connectors.postgres.estate import Estate
from tests.integration.connectors.postgres.reading import Reader

from windrow.connectors.postgres.limits import Limits
from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError
from windrow.http import network

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handle) -> AsyncIterator[int]:
    """A server of our own; its port. In the end all who came have been heard out."""
    served_by: set[asyncio.Task[None]] = set()

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        served_by.add(task)
        try:
            await handle(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*served_by)


async def refused(reading: Reader) -> WindrowError:
    with pytest.raises(WindrowError) as raised:
        await reading.pages()
    assert reading.estate.password not in str(raised.value)
    assert "\n" not in raised.value.message
    return raised.value


@pytest.mark.req("HV-62")
async def test_what_the_server_refuses_is_told_by_its_state(estate: Estate, reader: Opened) -> None:
    wrong = reader()
    wrong.credential = "wrong-canary"
    error = await refused(wrong)
    assert (type(error), error.code) == (Fatal, Code.UNAUTHORIZED)
    assert "wrong-canary" not in error.message

    absent = reader(database="not_there")
    error = await refused(absent)
    assert (error.error_class, error.code) == ("Fatal", Code.CONFIGURATION)
    assert "database" in (error.hint or "")

    estate.sql(None, f'REVOKE CONNECT ON DATABASE "{estate.name("shop")}" FROM PUBLIC')
    error = await refused(reader())
    assert (error.error_class, error.code) == ("Fatal", Code.FORBIDDEN)


@pytest.mark.req("HV-62")
async def test_a_password_that_is_revoked_in_the_middle_ends_the_run(estate: Estate, reader: Opened) -> None:
    reading = reader(databases=[f"{estate.mark}_*"])
    await reading.pages(most=1)

    reading.credential = "revoked-canary"

    assert (await refused(reading)).code is Code.UNAUTHORIZED
    assert reading.at is not None


async def test_an_address_that_the_operator_has_not_allowed_is_not_reached(
    reader: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[object] = []

    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(writer)

    async with listening(handle) as port:
        for host in ("127.0.0.1", "localhost", "127.1", "::1"):
            reading = reader(host=host, port=port)
            reading.addresses = ()
            assert (await refused(reading)).code is Code.ADDRESS_REFUSED, host

        async def rebinding(host: str, port: int) -> list[str]:
            return ["203.0.114.7", "127.0.0.1"]

        monkeypatch.setattr("windrow.connectors.postgres.address.system_resolve", rebinding)
        reading = reader(host="db.example.org", port=port, tls="verify")
        reading.addresses = ()
        assert (await refused(reading)).code is Code.ADDRESS_REFUSED
    assert reached == []
    assert network.system_resolve is not rebinding


async def test_a_name_is_resolved_once_for_a_connection_and_its_addresses_tried_in_turn(
    estate: Estate, reader: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checked address is connected to: what the name says a moment later does not matter."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.2", "127.0.0.1"]

    monkeypatch.setattr("windrow.connectors.postgres.address.system_resolve", resolve)
    port = int(estate.door.rpartition(":")[2])
    reading = reader(host="db.invalid")
    reading.addresses = (f"db.invalid:{port}",)

    assert "shop" in await reading.items()
    assert asked == ["db.invalid"] * reading.calls.count("connect")


async def test_a_password_that_libpq_would_cut_short_is_refused(reader: Opened) -> None:
    """What stands behind it in libpq's parameters, such as the encryption, would be cut off too."""
    reading = reader()
    reading.credential = "nul\0 sslmode=disable"

    assert (await refused(reading)).code is Code.INVALID_VALUE


async def test_a_public_address_is_not_spoken_to_in_the_clear(reader: Opened) -> None:
    assert (await refused(reader(host="203.0.114.7", port=5432))).code is Code.CONFIGURATION


@pytest.mark.parametrize("host", ["", "a,b", "/run/postgresql", "a b", "host=x", "x\n", "[::1]"])
def test_what_is_no_host_is_refused(reader: Opened, host: str) -> None:
    with pytest.raises(WindrowError):
        reader(host=host).connector()


async def test_nothing_of_the_operators_own_is_shown_to_a_server(
    estate: Estate, reader: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A password file and variables of this process would otherwise let a tenant in as the operator."""
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"*:*:*:*:{estate.password}\n")
    passwords.chmod(0o600)
    for name, value in {
        "PGPASSFILE": str(passwords),
        "PGPASSWORD": estate.password,
        "PGOPTIONS": "-c statement_timeout=1",
        "PGHOSTADDR": "203.0.114.7",
        "PGDATABASE": "elsewhere",
    }.items():
        monkeypatch.setenv(name, value)
    reading = reader()
    for mistaken, code in {"another": Code.UNAUTHORIZED, "": Code.CREDENTIAL_MISSING}.items():
        reading.credential = mistaken
        assert (await refused(reading)).code is code
    reading.credential = None
    assert "shop" in await reading.items()


@asynccontextmanager
async def encrypted(estate: Estate, authority: Authority, folder: Path, *names: str) -> AsyncIterator[int]:
    """The estate's server behind TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.certify(*names).written(folder))
    host, _, port = estate.door.rpartition(":")

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(b"S")
        await writer.start_tls(context)
        inner_reader, inner_writer = await asyncio.open_connection(host, int(port))
        try:
            await asyncio.gather(_piped(reader, inner_writer), _piped(inner_reader, writer))
        finally:
            inner_writer.close()

    async with listening(handle) as door:
        yield door


async def _piped(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()
    target.close()


async def test_a_server_has_to_prove_its_name(estate: Estate, reader: Opened, tmp_path: Path) -> None:
    authority = Authority()
    ca = authority.cert.decode()
    async with encrypted(estate, authority, tmp_path, "127.0.0.1") as port:
        right = reader(port=port, tls="verify", ca=ca)
        right.addresses = (f"127.0.0.1:{port}",)
        assert "shop" in await right.items()
        for config in ({"tls": "verify"}, {"tls": "verify", "ca": Authority("another").cert.decode()}):
            wrong = reader(port=port, **config)
            wrong.addresses = right.addresses
            error = await refused(wrong)
            assert (error.error_class, error.code) == ("RetryableTransient", Code.NETWORK)
            assert "`ca`" in (error.hint or "")
    async with encrypted(estate, authority, tmp_path, "db.example.org") as port:
        wrong = reader(port=port, tls="verify", ca=ca)
        wrong.addresses = (f"127.0.0.1:{port}",)
        assert (await refused(wrong)).code is Code.NETWORK
        only = reader(port=port, tls="encrypt")
        only.addresses = wrong.addresses
        assert "shop" in await only.items()


async def test_a_server_without_tls_gets_no_password(reader: Opened) -> None:
    heard: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readexactly(8))
        writer.write(b"N")
        heard.append(await reader.read())

    async with listening(handle) as port:
        reading = reader(port=port, tls="verify")
        reading.addresses = (f"127.0.0.1:{port}",)
        assert (await refused(reading)).code is Code.NETWORK
    assert heard[1::2] == [b"", b""]


async def test_an_unproved_server_cannot_ask_for_the_password_itself(reader: Opened) -> None:
    heard: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big") - 4)
        writer.write(b"R\0\0\0\x08\0\0\0\x03")  # AuthenticationCleartextPassword
        heard.append(await reader.read())

    async with listening(handle) as port:
        reading = reader(port=port)
        reading.addresses = (f"127.0.0.1:{port}",)
        await refused(reading)
    assert heard == [b"", b""]


async def test_a_server_that_never_answers_is_left(reader: Opened) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with listening(silent) as port:
        reading = reader(port=port)
        reading.addresses, reading.limits = (f"127.0.0.1:{port}",), Limits(login_seconds=0.2)
        error = await refused(reading)

    assert isinstance(error, RetryableTransient)
    assert error.code is Code.TIMEOUT


async def test_a_server_that_answers_without_end_is_left(estate: Estate, reader: Opened) -> None:
    estate.sql("shop", "".join(f"CREATE SCHEMA s{n};" for n in range(30)))
    reading = reader()
    reading.limits = Limits(rows=20)

    assert (await refused(reading)).code is Code.TOO_LARGE


async def test_the_password_is_in_no_line_even_at_the_drivers_most_talkative(
    estate: Estate, reader: Opened, said: Said
) -> None:
    import logging

    logging.getLogger().setLevel(logging.DEBUG)
    try:
        await reader().pages()
        await refused(reader(database="not_there"))
    finally:
        logging.getLogger().setLevel(logging.WARNING)

    assert not [line for line in said.raw if estate.password in line]
