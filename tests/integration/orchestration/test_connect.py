"""A Temporal of somebody else: TLS, client certificates, API keys; and what is said when one of them is wrong."""

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Said
from tests.fakes.certificates import Authority
from tests.fakes.gate import Gate, huffman

from windrow.app.temporal import temporal_target
from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.orchestration.connect import TemporalTarget, connect_to
from windrow.settings import read
from windrow.vault import Secret

API_KEY = "a-secret-api-key"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def target(gate: Gate, authority: Authority, **more: Any) -> TemporalTarget:
    return TemporalTarget(**({"address": gate.address, "tls": True, "server_ca": authority.cert} | more))


async def refusal(wanted: TemporalTarget) -> WindrowError:
    with pytest.raises(WindrowError) as caught:
        await connect_to(wanted)
    assert "\n" not in caught.value.message
    return caught.value


async def test_a_server_behind_tls_is_reached_by_the_authority_that_signed_it(
    temporal_address: str, authority: Authority, tmp_path: Path
) -> None:
    async with Gate(temporal_address, authority.certify("127.0.0.1"), tmp_path) as gate:
        client = await connect_to(target(gate, authority))

        assert await client.service_client.check_health()


async def test_a_certificate_of_another_authority_is_refused_and_says_what_to_set(
    temporal_address: str, authority: Authority, tmp_path: Path
) -> None:
    async with Gate(temporal_address, Authority().certify("127.0.0.1"), tmp_path) as gate:
        error = await refusal(target(gate, authority))

    assert isinstance(error, Fatal)
    assert "certificate" in error.message
    assert "WINDROW_TEMPORAL_CA" in str(error.hint)


async def test_a_certificate_for_another_name_is_accepted_only_where_that_name_is_expected(
    temporal_address: str, authority: Authority, tmp_path: Path
) -> None:
    async with Gate(temporal_address, authority.certify("temporal.example"), tmp_path) as gate:
        assert isinstance(await refusal(target(gate, authority)), Fatal)

        await connect_to(target(gate, authority, server_name="temporal.example"))


async def test_a_server_that_asks_for_a_certificate_lets_in_who_shows_one(
    temporal_address: str, authority: Authority, tmp_path: Path
) -> None:
    ours = authority.certify("windrow")
    theirs = Authority().certify("windrow")
    async with Gate(temporal_address, authority.certify("127.0.0.1"), tmp_path, clients=authority) as gate:
        await connect_to(target(gate, authority, client_cert=ours.cert, client_key=Secret(ours.key.decode())))

        for shown in ({}, {"client_cert": theirs.cert, "client_key": Secret(theirs.key.decode())}):
            error = await refusal(target(gate, authority, **shown))
            assert error.code is Code.TEMPORAL_UNREACHABLE
            assert "client certificate" in str(error.hint)


async def test_an_api_key_is_shown_to_the_server_and_to_nobody_else(
    temporal_address: str, authority: Authority, tmp_path: Path, said: Said
) -> None:
    wanted_key = Secret(API_KEY)
    async with Gate(temporal_address, authority.certify("127.0.0.1"), tmp_path) as gate:
        wanted = target(gate, authority, api_key=wanted_key)
        await connect_to(wanted)

        assert gate.has_seen_header(f"Bearer {API_KEY}")
    assert API_KEY not in repr(wanted) + "".join(said.raw)


async def test_an_api_key_that_is_not_accepted_is_fatal(authority: Authority, tmp_path: Path) -> None:
    async with Gate(None, authority.certify("127.0.0.1"), tmp_path) as gate:
        error = await refusal(target(gate, authority, api_key=Secret(API_KEY)))

    assert isinstance(error, Fatal)
    assert error.code is Code.UNAUTHORIZED
    assert "WINDROW_TEMPORAL_API_KEY_REF" in str(error.hint)


async def test_tls_to_a_server_without_it_says_so(temporal_address: str) -> None:
    error = await refusal(TemporalTarget(address=temporal_address, tls=True))

    assert isinstance(error, Fatal)
    assert "speaks no TLS" in error.message


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_key": Secret(API_KEY)},
        {"server_ca": b"x"},
        {"tls": True, "client_cert": b"x"},
        {"tls": True, "client_key": Secret("some key")},
    ],
)
def test_what_makes_no_sense_together_is_refused_before_anything_is_sent(wrong: dict[str, Any]) -> None:
    with pytest.raises(Fatal) as caught:
        TemporalTarget(address="127.0.0.1:7233", **wrong)

    assert caught.value.code is Code.CONFIGURATION


async def test_an_authority_that_is_no_certificate_is_refused(temporal_address: str) -> None:
    error = await refusal(TemporalTarget(address=temporal_address, tls=True, server_ca=b"no certificate \xff"))

    assert "WINDROW_TEMPORAL_CA" in str(error.hint)


async def test_the_settings_name_files_and_references_and_the_target_has_what_is_in_them(
    temporal_address: str, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = authority.certify("windrow")
    cert, key = ours.written(tmp_path)
    (tmp_path / "ca.pem").write_bytes(authority.cert)
    served = tmp_path / "served"
    served.mkdir()
    async with Gate(temporal_address, authority.certify("127.0.0.1"), served, clients=authority) as gate:
        monkeypatch.setenv("WINDROW_TEMPORAL_ADDRESS", gate.address)
        monkeypatch.setenv("WINDROW_TEMPORAL_CA", str(tmp_path / "ca.pem"))
        monkeypatch.setenv("WINDROW_TEMPORAL_CERT", str(cert))
        monkeypatch.setenv("WINDROW_TEMPORAL_KEY", f"file:{key}")
        monkeypatch.setenv("WINDROW_TEMPORAL_API_KEY_REF", "env:CLOUD_KEY")

        await connect_to(await temporal_target(read(), {"CLOUD_KEY": API_KEY}, gate.address))

        assert gate.has_seen_header(f"Bearer {API_KEY}")


async def test_the_embedded_server_is_reached_plainly_whatever_is_set_for_another(
    temporal_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDROW_TEMPORAL_TLS", "true")

    await connect_to(await temporal_target(read(), {}, temporal_address))


async def test_a_file_that_cannot_be_read_is_named_with_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDROW_TEMPORAL_ADDRESS", "127.0.0.1:7233")
    monkeypatch.setenv("WINDROW_TEMPORAL_CA", str(tmp_path / "nothing.pem"))
    with pytest.raises(Fatal, match=r"nothing\.pem cannot be read") as caught:
        await temporal_target(read(), {}, "127.0.0.1:7233")

    assert "WINDROW_TEMPORAL_CA" in str(caught.value.hint)


@pytest.mark.parametrize("address", ["", "temporal", ":7233", "temporal:", "temporal:99999", "temporal:x"])
async def test_an_address_that_is_none_is_refused(address: str) -> None:
    error = await refusal(TemporalTarget(address=address))

    assert isinstance(error, Fatal)


async def test_a_reference_that_is_malformed_names_its_setting_and_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WINDROW_PAYLOAD_KEY_REF", "the key itself")
    with pytest.raises(Fatal, match="WINDROW_PAYLOAD_KEY_REF") as caught:
        await temporal_target(read(), {}, "127.0.0.1:7233")

    assert "the key itself" not in str(caught.value)


def test_the_compression_of_headers_is_that_of_the_standard() -> None:
    # RFC 7541, C.4.1 and C.6.1
    assert huffman("www.example.com").hex() == "f1e3c2e5f23a6ba0ab90f4ff"
    assert huffman("302").hex() == "6402"
