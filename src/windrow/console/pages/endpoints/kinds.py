"""The connector behind a name, found without holding up the others: each is a package to import, once."""

import asyncio
from functools import cache

from windrow.connectors import registry
from windrow.connectors.registry import AnyConnector
from windrow.contracts.errors import Code, ValidationFailure
from windrow.web.problem import Refusal


async def kind_of(name: str) -> AnyConnector:
    """The connector, or a refusal that names those that there are."""
    try:
        return await asyncio.to_thread(_found, name)
    except ValidationFailure as error:
        raise Refusal(404, error.message, code=Code.NOT_FOUND, hint=error.hint) from None


# what is installed stays while a process runs; what is not found is looked for again
_found = cache(registry.find)
