"""What a URL may look like, and how it is shown: http(s), a plain host, no user name, no fragment.

A host written as a number is turned into the address it means, in every form that system resolvers take
(`127.1`, `0x7f000001`, `017700000001`, `2130706433`), so that no check can read it differently from the connection.
"""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

import httpx2

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.addresses import Address
from windrow.telemetry import redact

PORTS = {"http": 80, "https": 443}
LONGEST_SHOWN = 200
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)

Origin = tuple[str, str, int]


def checked_url(url: str) -> httpx2.URL:
    """The URL in the one form in which it is checked and connected to."""
    parsed = _parsed(url)
    if parsed.scheme not in PORTS:
        raise _invalid(url, "it is not an http or https address", "begin it with https://")
    if parsed.userinfo:
        raise _invalid(url, "it carries a user name or password", "pass credentials as a header, from a credential_ref")
    if not 0 < port_of(parsed) < 65536:
        raise _invalid(url, "the port is not between 1 and 65535", "check the port")
    host = parsed.raw_host.decode("ascii").lower().removesuffix(".")
    address = literal(host)
    if address is None and not _is_name(host):
        raise _invalid(url, "the host is not a name or an address", "check the host")
    return parsed.copy_with(host=host if address is None else str(address), fragment=None)


def joined(base: httpx2.URL, reference: str) -> httpx2.URL:
    """What a reference means on the page at `base`: where a redirect or a link leads."""
    parsed = _parsed(reference)
    try:
        # joining would tidy up an address that is whole already, and break its signature
        return checked_url(reference if parsed.is_absolute_url else str(base.join(parsed)))
    except httpx2.InvalidURL as error:
        raise _invalid(reference, "it is not a URL", "check what the source answers") from error


def literal(host: str) -> Address | None:
    """The address that a host stands for by itself, or None for a name that has to be resolved."""
    try:
        address = ip_address(host)
    except ValueError:
        return _ipv4_number(host)
    scoped = isinstance(address, IPv6Address) and address.scope_id is not None
    return IPv6Address(int(address)) if scoped else address


def _ipv4_number(host: str) -> IPv4Address | None:
    """An IPv4 address in the forms of inet_aton: one to four parts, each decimal, octal or hexadecimal."""
    parts = host.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    values = [_part(part) for part in parts]
    limits = [256] * (len(parts) - 1) + [256 ** (5 - len(parts))] if len(parts) <= 4 else []
    if len(limits) != len(values) or any(not 0 <= value < limit for value, limit in zip(values, limits, strict=True)):
        raise _invalid(host, "the host looks like a number and is no address", "check the host")
    leading = sum(value << (8 * (3 - place)) for place, value in enumerate(values[:-1]))
    return IPv4Address(leading + values[-1])


def _part(text: str) -> int:
    # twelve digits hold any 32-bit number in any of the three bases, and int() refuses thousands
    if not _NUMBER.fullmatch(text) or len(text.lstrip("0x")) > 12:
        return -1
    base = 16 if text.startswith("0x") else 8 if text.startswith("0") else 10
    try:
        return int(text, base)
    except ValueError:
        return -1


def _is_name(host: str) -> bool:
    return 0 < len(host) <= 253 and all(_LABEL.fullmatch(label) for label in host.split("."))


def _parsed(url: str) -> httpx2.URL:
    try:
        return httpx2.URL(url)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise _invalid(url, "it is not a URL", "check the address") from error


def port_of(url: httpx2.URL) -> int:
    """The port that is connected to."""
    return PORTS.get(url.scheme, 0) if url.port is None else url.port


def origin_of(url: httpx2.URL) -> Origin:
    """Scheme, host and port: what credentials belong to."""
    return url.scheme, url.host, port_of(url)


def door_of(url: httpx2.URL) -> str:
    """Host and port, as limits per host are counted."""
    return f"{url.host}:{port_of(url)}"


def shown(url: httpx2.URL | str) -> str:
    """The URL for a person or a log: no query, no user name, no known secret, not endless."""
    text = str(url)[:1024].partition("?")[0].partition("#")[0]
    scheme, separator, rest = text.partition("://")
    authority, slash, path = rest.partition("/")
    bare = f"{scheme}{separator}{authority.rpartition('@')[2]}{slash}{path}"
    safe = "".join(char if char.isprintable() else "�" for char in redact(bare))
    return safe if len(safe) <= LONGEST_SHOWN else safe[: LONGEST_SHOWN - 1] + "…"


def _invalid(url: str, why: str, hint: str) -> ValidationFailure:
    return ValidationFailure(f"{shown(url)!r} is refused: {why}", code=Code.INVALID, hint=hint)
