"""Which addresses are public, and what the operator's list opens."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Fatal
from windrow.http.addresses import AddressRules, refused, why_not_public

INNER_NETWORKS = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "224.0.0.0/4",
    "240.0.0.0/4",
]
inner = st.sampled_from(INNER_NETWORKS).flatmap(lambda network: st.ip_addresses(network=network))


def mapped(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0xFFFF << 32 | int(address))


def compatible(address: IPv4Address) -> IPv6Address:
    return IPv6Address(int(address))


def nat64(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x64FF9B << 96 | int(address))


def local_nat64(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x64FF9B0001 << 80 | int(address))


def six_to_four(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x2002 << 112 | int(address) << 80 | 1)


def teredo_client(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x20010000 << 96 | int(IPv4Address("8.8.8.8")) << 64 | (int(address) ^ 0xFFFFFFFF))


def teredo_server(address: IPv4Address) -> IPv6Address:
    return IPv6Address(0x20010000 << 96 | int(address) << 64)


EMBEDDINGS = [mapped, compatible, nat64, local_nat64, six_to_four, teredo_client, teredo_server]


@settings(deadline=None)
@given(inner)
def test_an_address_inside_is_never_public(address: IPv4Address) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize("embed", EMBEDDINGS)
@settings(deadline=None)
@given(address=inner)
def test_an_inner_address_inside_another_is_never_public(embed: object, address: IPv4Address) -> None:
    assert why_not_public(embed(address))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("169.254.169.254", "a metadata address"),
        ("fd00:ec2::254", "a metadata address"),
        ("168.63.129.16", "a metadata address"),
        ("::ffff:169.254.169.254", "a metadata address"),
        ("64:ff9b::a9fe:a9fe", "a metadata address"),
        ("127.0.0.1", "loopback"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("0.0.0.0", "unspecified"),
        ("100.64.0.1", "shared by a carrier (CGNAT)"),
        ("fe80::1", "link-local"),
        ("fc00::1", "private"),
        ("ff02::1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("4000::1", "reserved"),
        ("5f00::1", "reserved"),
        ("2001:db8::1", "for documentation"),
    ],
)
def test_the_reason_is_named(address: str, reason: str) -> None:
    assert why_not_public(ip_address(address)) == reason


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "140.82.121.6", "2606:50c0:8000::154", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_a_public_address_may_be_reached(address: str) -> None:
    assert why_not_public(ip_address(address)) is None


@settings(deadline=None)
@given(st.ip_addresses(v=6))
def test_no_six_address_outside_global_unicast_is_public_unless_it_carries_a_public_four(address: IPv6Address) -> None:
    if why_not_public(address) is None:
        carrying = address in ip_network("::ffff:0:0/96") or address in ip_network("64:ff9b::/96")
        assert carrying or address in ip_network("2000::/3")


@settings(deadline=None)
@given(inner, st.integers(1, 65535))
def test_an_allowed_network_opens_its_addresses_on_every_port(address: IPv4Address, port: int) -> None:
    rules = AddressRules((str(ip_network(f"{address}/32")),))

    assert rules.why_refused("host", port, address) is None
    assert rules.why_refused("host", port, mapped(address)) is None
    assert rules.why_refused("host", port, IPv4Address(int(address) ^ 1))


def test_an_allowed_door_opens_one_port_of_one_address() -> None:
    rules = AddressRules(("127.0.0.1:8080", "[::1]:9090"))

    assert rules.why_refused("anything", 8080, ip_address("127.0.0.1")) is None
    assert rules.why_refused("anything", 9090, ip_address("::1")) is None
    assert rules.why_refused("anything", 8081, ip_address("127.0.0.1")) == "loopback"
    assert rules.why_refused("anything", 8080, ip_address("127.0.0.2")) == "loopback"


def test_an_allowed_name_opens_one_port_wherever_it_resolves_to() -> None:
    rules = AddressRules(("Git.Corp.example.:443",))

    assert rules.why_refused("git.corp.example", 443, ip_address("10.1.2.3")) is None
    assert rules.why_refused("git.corp.example", 80, ip_address("10.1.2.3")) == "private"
    assert rules.why_refused("evil.git.corp.example", 443, ip_address("10.1.2.3")) == "private"


@pytest.mark.parametrize(
    "entry", ["", "git.corp", "10.0.0.1/8", "host:0", "host:65536", "host:٣", ":80", "http://host:80/", "10.0.0.0/8:80"]
)
def test_an_entry_that_is_neither_network_nor_door_is_told(entry: str) -> None:
    with pytest.raises(Fatal, match="neither a network nor host:port") as caught:
        AddressRules((entry,))

    assert caught.value.code is Code.CONFIGURATION


def test_the_error_names_the_address_and_what_the_operator_can_do() -> None:
    error = refused("db.corp", 80, ip_address("10.0.0.7"), "private")

    assert error.code is Code.ADDRESS_REFUSED
    assert "10.0.0.7:80" in str(error)
    assert "operator can allow" in str(error.hint)
