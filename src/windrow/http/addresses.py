"""Which addresses may be reached: public ones, and those the operator allows. Pure; `network` asks before it connects.

The table is ours rather than `ipaddress.is_global`, whose answers changed between patch releases of Python.
"""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from windrow.contracts.errors import Code, Fatal

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# the first match names the reason, so the narrow ones stand before the wide ones
_NOT_PUBLIC: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), reason)
    for network, reason in (
        ("169.254.169.254/32", "a metadata address"),
        ("100.100.100.200/32", "a metadata address"),
        ("192.0.0.192/32", "a metadata address"),
        ("168.63.129.16/32", "a metadata address"),  # Azure's, though the number is a public one
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a carrier (CGNAT)"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
        ("fd00:ec2::254/128", "a metadata address"),
        ("fd20:ce::254/128", "a metadata address"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "an IPv4-compatible address"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        # tunnels that carry an IPv4 address inside; nobody publishes a service behind them any more
        ("2002::/16", "a 6to4 address"),
        ("2001::/32", "a Teredo address"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("3fff::/20", "for documentation"),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")


def carried(address: Address) -> Address:
    """The address that packets end at: the IPv4 one inside an IPv4-mapped or NAT64 address, else the address itself."""
    if isinstance(address, IPv6Address) and (address in _MAPPED or address in _NAT64):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def why_not_public(address: Address) -> str | None:
    """What keeps an address from being public, or None where nothing does."""
    target = carried(address)
    for network, reason in _NOT_PUBLIC:
        if target in network:
            return reason
    if isinstance(target, IPv6Address) and target not in _GLOBAL_UNICAST:
        return "reserved"
    return None


@dataclass(frozen=True, slots=True)
class AddressRules:
    """What the operator allows beside public addresses.

    An entry is a network (`10.0.0.0/8`, `::1`) or one door (`127.0.0.1:8080`, `[::1]:8080`, `git.corp.example:443`).
    A name that is allowed may resolve to any address, on that port only.
    """

    allow: tuple[str, ...] = ()
    networks: tuple[Network, ...] = field(init=False, repr=False)
    doors: frozenset[tuple[str, int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        networks = {entry: _network(entry) for entry in self.allow}
        doors = [_door(entry) for entry, network in networks.items() if network is None]
        object.__setattr__(self, "networks", tuple(network for network in networks.values() if network is not None))
        object.__setattr__(self, "doors", frozenset(doors))

    def why_refused(self, host: str, port: int, address: Address) -> str | None:
        """What speaks against connecting to `address`, reached as `host`, or None."""
        reason = why_not_public(address)
        if reason is None or (host, port) in self.doors:
            return None
        ends = {address, carried(address)}
        if any((str(end), port) in self.doors or any(end in network for network in self.networks) for end in ends):
            return None
        return reason


def refused(host: str, port: int, address: Address, reason: str) -> Fatal:
    """The error for an address that the operator has not allowed."""
    shown = f"[{address}]" if address.version == 6 else str(address)
    named = "" if host == str(address) else f" (the address of {host})"
    return Fatal(
        f"{shown}:{port}{named} is {reason} and may not be reached",
        code=Code.ADDRESS_REFUSED,
        hint=f"if it is meant, the operator can allow {address} or {host}:{port} in WINDROW_ADDRESSES_ALLOWED",
    )


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry)
    except ValueError:
        return None


def _door(entry: str) -> tuple[str, int]:
    host, _, port = entry.rpartition(":")
    if not host or "/" in entry or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise Fatal(
            f"{entry!r} is neither a network nor host:port",
            hint="allow networks such as 10.0.0.0/8, or doors such as 127.0.0.1:8080 or git.corp.example:443",
        )
    bare = host.removeprefix("[").removesuffix("]")
    try:
        return str(ip_address(bare)), int(port)
    except ValueError:
        return bare.lower().removesuffix("."), int(port)
