"""The fields by which Temporal's own lists are searched: registered once for a namespace."""

import asyncio
from datetime import timedelta

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from windrow.contracts.errors import Code, Fatal
from windrow.orchestration.connect import translated

KEYWORD, MOMENT = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD, IndexedValueType.INDEXED_VALUE_TYPE_DATETIME
WANTED = {
    "WindrowState": KEYWORD,
    "WindrowTenant": KEYWORD,
    "WindrowEndpoint": KEYWORD,
    "WindrowDirective": KEYWORD,
    "WindrowNextRetry": MOMENT,
}
_KINDS = {KEYWORD: "Keyword", MOMENT: "Datetime"}
_CALL = timedelta(seconds=10)
_LOOK_AGAIN, _LOOKS = 0.1, 100
# how a Temporal of somebody else says that its operators are others
_NOT_OURS = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED, RPCStatusCode.UNIMPLEMENTED)


async def ensure(client: Client) -> list[str]:
    """Register what is missing in the client's namespace; which that was. Any number may do this at once.

    Where that is not ours to do, it is enough that they are there.
    """
    try:
        missing = await _missing(client)
        if missing:
            await _register(client, missing)
    except RPCError as error:
        raise translated(error) from error
    return missing


async def _register(client: Client, missing: list[str]) -> None:
    request = AddSearchAttributesRequest(
        namespace=client.namespace, search_attributes={name: WANTED[name] for name in missing}
    )
    try:
        await client.operator_service.add_search_attributes(request, timeout=_CALL)
    except RPCError as error:
        if error.status in _NOT_OURS:
            raise _lacking(client, missing) from error
        if error.status is not RPCStatusCode.ALREADY_EXISTS:
            raise
    for _ in range(_LOOKS):  # the server's parts learn of it one after the other
        if not await _missing(client):
            break
        await asyncio.sleep(_LOOK_AGAIN)


async def _missing(client: Client) -> list[str]:
    try:
        there = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace), timeout=_CALL
        )
    except RPCError as error:
        if error.status not in _NOT_OURS:
            raise
        return [name for name in sorted(WANTED) if not await _answers(client, name)]
    return sorted(WANTED.keys() - there.custom_attributes.keys())


async def _answers(client: Client, name: str) -> bool:
    """Whether workflows can be counted by it, which whoever may run them may do."""
    try:
        await client.count_workflows(f"{name} IS NULL", rpc_timeout=_CALL)
    except RPCError as error:
        if error.status is RPCStatusCode.INVALID_ARGUMENT:
            return False
        raise
    return True


def _lacking(client: Client, missing: list[str]) -> Fatal:
    listed = ", ".join(f"{name} ({_KINDS[WANTED[name]]})" for name in missing)
    return Fatal(
        f"the namespace {client.namespace!r} lacks the search attributes {listed}, and they are not ours to add",
        code=Code.FORBIDDEN,
        hint="add them with the host's own tool, or `temporal operator search-attribute create --name … --type …`",
    )
