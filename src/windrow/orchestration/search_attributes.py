"""The fields by which Temporal's own lists are searched: registered once for a namespace."""

import asyncio
from datetime import timedelta

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

KEYWORD, MOMENT = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD, IndexedValueType.INDEXED_VALUE_TYPE_DATETIME
WANTED = {
    "WindrowState": KEYWORD,
    "WindrowTenant": KEYWORD,
    "WindrowEndpoint": KEYWORD,
    "WindrowDirective": KEYWORD,
    "WindrowNextRetry": MOMENT,
}
_CALL = timedelta(seconds=10)
_LOOK_AGAIN, _LOOKS = 0.1, 100


async def ensure(client: Client) -> list[str]:
    """Register what is missing in the client's namespace; which that was. Any number may do this at once."""
    missing = await _missing(client)
    if missing:
        try:
            await client.operator_service.add_search_attributes(
                AddSearchAttributesRequest(
                    namespace=client.namespace, search_attributes={name: WANTED[name] for name in missing}
                ),
                timeout=_CALL,
            )
        except RPCError as error:
            if error.status is not RPCStatusCode.ALREADY_EXISTS:
                raise
        for _ in range(_LOOKS):  # the server's parts learn of it one after the other
            if not await _missing(client):
                break
            await asyncio.sleep(_LOOK_AGAIN)
    return missing


async def _missing(client: Client) -> list[str]:
    there = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace), timeout=_CALL
    )
    return sorted(WANTED.keys() - there.custom_attributes.keys())
