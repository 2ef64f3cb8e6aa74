"""Which addresses the server has, each found to be permitted. They are what is connected to: no name is resolved twice."""

from ipaddress import ip_address

from windrow.connectors.context import Context
from windrow.connectors.postgres.config import PostgresConfig, Tls
from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.http import HttpPolicy
from windrow.http.addresses import Address, AddressRules, refused, why_not_public
from windrow.http.network import TRIED, system_resolve
from windrow.http.urls import literal


async def permitted(config: PostgresConfig, context: Context) -> list[Address]:
    """The addresses to try; one that is not permitted condemns the name, since another answer may follow."""
    # the operator's list is the one of outgoing HTTP: an address is a door, whoever goes through it
    async with context.http(HttpPolicy(source="postgres")) as client:
        rules = AddressRules(client.policy.allow)
    host, port = config.host, config.port
    addresses = await _addresses(host, port)
    for address in addresses:
        if (reason := rules.why_refused(host, port, address)) is not None:
            raise refused(host, port, address, reason)
        if config.tls is Tls.NONE and why_not_public(address) is None:
            raise Fatal(
                f"{host}:{port} is a public address, and the connection would not be encrypted",
                code=Code.CONFIGURATION,
                hint="leave `tls` out; `tls=none` is for private addresses that the operator has allowed",
            )
    return addresses[:TRIED]


async def _addresses(host: str, port: int) -> list[Address]:
    alone = literal(host)
    if alone is not None:
        return [alone]
    try:
        found = [ip_address(text) for text in await system_resolve(host, port)]
    except (OSError, UnicodeError) as error:
        raise _unresolved(host) from error
    if not found:
        raise _unresolved(host)
    return found


def _unresolved(host: str) -> RetryableTransient:
    return RetryableTransient(f"the name {host} could not be resolved", code=Code.NETWORK, hint="check `host`")
