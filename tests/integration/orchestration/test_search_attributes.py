"""The fields of Temporal's lists where its operators are others: what is there is used, what is missing is named."""

import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode, ServiceClient

from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.orchestration import search_attributes
from windrow.orchestration.search_attributes import WANTED


class Hosted(ServiceClient):
    """A Temporal of somebody else: what is the operators' is not ours."""

    def __init__(self, behind: ServiceClient, status: RPCStatusCode) -> None:
        super().__init__(behind.config)
        self._behind, self._status = behind, status

    @property
    def worker_service_client(self) -> Any:
        return self._behind.worker_service_client

    def update_rpc_metadata(self, metadata: Mapping[str, str | bytes]) -> None:
        self._behind.update_rpc_metadata(metadata)

    def update_api_key(self, api_key: str | None) -> None:
        self._behind.update_api_key(api_key)

    async def _rpc_call(self, rpc: str, req: Any, resp_type: Any, *, service: str, **more: Any) -> Any:
        if service == "operator":
            raise RPCError("operators only", self._status, b"")
        return await self._behind._rpc_call(rpc, req, resp_type, service=service, **more)


def hosted(client: Client, status: RPCStatusCode = RPCStatusCode.PERMISSION_DENIED) -> Client:
    return Client(Hosted(client.service_client, status), namespace=client.namespace)


@pytest.mark.parametrize("status", [RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED])
async def test_where_they_are_there_nothing_else_is_asked_for(client: Client, status: RPCStatusCode) -> None:
    assert await search_attributes.ensure(hosted(client, status)) == []


async def test_where_they_are_missing_each_is_named_with_its_kind_and_what_to_do(temporal_address: str) -> None:
    bare = await Client.connect(temporal_address, namespace=f"bare-{uuid.uuid4().hex[:8]}")
    request = RegisterNamespaceRequest(namespace=bare.namespace)
    request.workflow_execution_retention_period.seconds = 86400
    await bare.workflow_service.register_namespace(request)

    error: Exception = RetryableTransient("not asked yet")
    while isinstance(error, RetryableTransient):  # the server's parts learn of a namespace one after the other
        with pytest.raises((Fatal, RetryableTransient)) as caught:
            await search_attributes.ensure(hosted(bare))
        error = caught.value

    assert isinstance(error, Fatal)
    assert error.code is Code.FORBIDDEN
    for name in WANTED:
        assert f"{name} (" in error.message
    assert "WindrowNextRetry (Datetime)" in error.message
    assert "temporal operator search-attribute create" in str(error.hint)


async def test_a_server_that_does_not_answer_is_no_matter_of_permission(client: Client) -> None:
    with pytest.raises(RetryableTransient) as caught:
        await search_attributes.ensure(hosted(client, RPCStatusCode.UNAVAILABLE))

    assert caught.value.code is Code.TEMPORAL_UNREACHABLE
