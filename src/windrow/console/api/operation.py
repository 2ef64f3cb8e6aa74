"""An operation of the API: its caller is known, does not call too often, may call it, and sends no more than fits.

All that is decided before FastAPI reads anything of the request; and what it raises goes up to the edge, which alone makes
answers of errors.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from windrow.console.api.access import Permission
from windrow.console.api.behind import BEHIND, Behind
from windrow.console.api.problems import DEFAULT
from windrow.web.bodies import check_json_headers, read_body
from windrow.web.principal import Principal, Role

ROOT = "/api/v1"


class Operation(APIRoute):
    """One path and method. It cannot be made without a role in its signature."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        # what FastAPI's own application would wrap it in; of the rest of that, nothing is wanted here
        self.app = AsyncExitStackMiddleware(self.app)

    @property
    def role(self) -> Role:
        """Who may call it."""
        asked = [each.call for each in self.dependant.dependencies if isinstance(each.call, Permission)]
        if len(asked) != 1:
            raise TypeError(
                f"{self.path}: an operation says once who may call it (`caller: Reader`), not {len(asked)} times"
            )
        return asked[0].role

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        operate, role, takes_body = super().get_route_handler(), self.role, self.body_field is not None

        async def admitted(request: Request, _: Principal) -> Response:
            behind: Behind = request.scope[BEHIND]
            return await operate(await _read(request, behind) if takes_body else request)

        async def handler(request: Request) -> Response:
            behind: Behind = request.scope[BEHIND]
            return await behind.door.admits(role, admitted)(request)

        return handler


def resource(name: str) -> APIRouter:
    """Where a resource's operations are gathered; each is called `NAME.FUNCTION` in the document."""
    return APIRouter(
        prefix=ROOT,
        tags=[name],
        route_class=Operation,
        responses=DEFAULT,
        generate_unique_id_function=lambda route: f"{name}.{route.name}",
    )


async def _read(request: Request, behind: Behind) -> Request:
    """The request with its body read, within the bounds of bytes and time that FastAPI does not know."""
    limits = behind.limits
    body = await read_body(
        request, most=limits.json_bytes, idle_seconds=limits.idle_seconds, seconds=limits.json_seconds
    )
    if body:
        check_json_headers(request)

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(request.scope, receive)
