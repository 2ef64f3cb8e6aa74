"""Which addresses the server has, each found to be permitted. They are what is connected to: no name is resolved twice."""

from windrow.connectors.context import Context
from windrow.connectors.postgres.config import PostgresConfig, Tls
from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpPolicy, resolving
from windrow.http.addresses import Address, AddressRules, why_not_public
from windrow.http.resolving import system_resolve


async def permitted(config: PostgresConfig, context: Context) -> list[Address]:
    """The addresses to try; one that is not permitted condemns the name, since another answer may follow."""
    # the operator's list is the one of outgoing HTTP: an address is a door, whoever goes through it
    async with context.http(HttpPolicy(source="postgres")) as client:
        rules = AddressRules(client.policy.allow)
    host, port = config.host, config.port
    addresses = await resolving.permitted(host, port, rules, system_resolve)
    if config.tls is Tls.NONE and any(why_not_public(address) is None for address in addresses):
        raise Fatal(
            f"{host}:{port} is a public address, and the connection would not be encrypted",
            code=Code.CONFIGURATION,
            hint="leave `tls` out; `tls=none` is for private addresses that the operator has allowed",
        )
    return addresses
