"""The addresses of a name, each found to be permitted: whoever connects does so to these, and resolves no name again."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from windrow.contracts.errors import Code, RetryableTransient, ValidationFailure
from windrow.http.addresses import Address, AddressRules, refused
from windrow.http.urls import literal

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
# a name with a hundred addresses, all of them dead, is not worth a hundred tries
TRIED = 4


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, as the system knows them, best first."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def permitted(host: str, port: int, rules: AddressRules, resolve: Resolve) -> list[Address]:
    """The addresses to try; one that is not permitted condemns the name, since another answer may follow."""
    alone = literal(host)
    addresses = [alone] if alone is not None else await _resolved(host, port, resolve)
    for address in addresses:
        if (reason := rules.why_refused(host, port, address)) is not None:
            raise refused(host, port, address, reason)
    return addresses[:TRIED]


async def _resolved(host: str, port: int, resolve: Resolve) -> list[Address]:
    try:
        found = [ip_address(text) for text in await resolve(host, port)]
    except TimeoutError:
        raise  # the caller's own
    except OSError as error:
        raise _unresolved(host) from error
    except UnicodeError as error:
        raise ValidationFailure(f"{host!r} is not a host name", hint="check the host") from error
    if not found:
        raise _unresolved(host)
    return found


def _unresolved(host: str) -> RetryableTransient:
    return RetryableTransient(
        f"the name {host} could not be resolved", code=Code.NETWORK, hint="check the host name and the network"
    )
