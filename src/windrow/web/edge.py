"""What every request passes: it gets an id, is measured, and ends in one answer or one problem.

Nothing below here turns an error into an answer, and nothing above here sees one.
"""

import re
import time
import uuid
from collections.abc import Callable, Collection
from contextlib import ExitStack
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from windrow.contracts.errors import Code, WindrowError, classify
from windrow.telemetry import bound, emit, span
from windrow.telemetry.catalogue import console as telemetry
from windrow.web.principal import Principal
from windrow.web.problem import Refusal, answer, problem, status_of

# draws a problem for those who asked for a page, from the document and the answer that everybody else gets
Face = Callable[[Request, dict[str, Any], Response], Response | None]

PROBES = ("/health", "/ready")
# where a handler leaves who was let in
PRINCIPAL = "windrow.principal"
CLIENT_LEFT = 499
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_CORRELATION = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>(?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
_SAFE = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def correlation_of(headers: Headers) -> str:
    """The cause that the caller names, if it is one that can stand in a log and a row; else a new one."""
    given = headers.get("x-correlation-id", "")
    if _CORRELATION.fullmatch(given):
        return given
    traced = _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    return traced["trace"] if traced else uuid.uuid4().hex


def _whose(principal: Principal) -> dict[str, str]:
    scope = principal.scope
    return {"subject": principal.subject, "tenant_id": scope.tenant_id, "project_id": scope.project_id}


class Edge:
    """Wraps the routes. `hosts` are the names by which clients may call this server: a page of a stranger's that has its
    own name point to this machine (DNS rebinding) still sends its own name. None where that opens nothing, since
    everybody has to show a token. `agent` is who speaks in the log, `face` how problems look in a browser."""

    def __init__(
        self, routes: ASGIApp, hosts: Collection[str] | None, *, agent: str = "meta-api", face: Face | None = None
    ) -> None:
        self._routes, self._agent, self._face = routes, agent, face
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # the router raises what it refuses when there is an application around it
            exchange = _Exchange({**scope, "app": self}, receive, send, self._face)
            await exchange.run(self._routes, self._hosts, self._agent)


class _Exchange:
    """One request and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, face: Face | None) -> None:
        self._scope, self._receive, self._wire, self._face = scope, receive, send, face
        self._headers = Headers(scope=scope)
        self._begun = time.perf_counter()
        self._status = 0
        self.request_id, self.correlation_id = uuid.uuid4().hex, correlation_of(self._headers)

    async def run(self, routes: ASGIApp, hosts: frozenset[str] | None, agent: str) -> None:
        error: WindrowError | None = None
        with ExitStack() as told:
            told.enter_context(
                bound(agent=agent, directive="http", correlation_id=self.correlation_id, request_id=self.request_id)
            )
            current = told.enter_context(span("console.request", method=self._method))
            try:
                self._check_host(hosts)
                await routes(self._scope, self._receive, self._send)
            except ClientDisconnect:
                self._status = CLIENT_LEFT
            except Exception as raised:
                error = classify(raised)
                await self._refuse(error, raised)
            finally:
                current.set_attributes({"route": self._route, "status": self._status})
                self._tell(error)

    def _check_host(self, hosts: frozenset[str] | None) -> None:
        if hosts is not None and self._headers.get("host", "").lower() not in hosts:
            raise Refusal(
                421,
                "this server is not called so",
                code=Code.FORBIDDEN,
                hint="call it by the address it prints at its start, or name that of your proxy in WINDROW_HTTP_URL",
            )

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE.items():
                headers.setdefault(name, value)
            headers["x-request-id"], headers["x-correlation-id"] = self.request_id, self.correlation_id
        await self._wire(message)

    async def _refuse(self, error: WindrowError, raised: Exception) -> None:
        status = status_of(error)
        if status >= 500:
            emit(
                "request.failed",
                method=self._method,
                route=self._route,
                error_class=error.error_class,
                code=error.code,
                error=raised,
            )
        if self._status:
            return  # under way already: the server cuts it off, and the client sees that it is not whole
        await self._answer(error)(self._scope, self._receive, self._send)

    def _answer(self, error: WindrowError) -> Response:
        plain = answer(error, correlation_id=self.correlation_id, request_id=self.request_id)
        if self._face is None:
            return plain
        told = problem(error, correlation_id=self.correlation_id, request_id=self.request_id)
        return self._face(Request(self._scope), told, plain) or plain

    def _tell(self, error: WindrowError | None) -> None:
        seconds = time.perf_counter() - self._begun
        status, labels = self._status or CLIENT_LEFT, {"method": self._method, "route": self._route}
        telemetry.REQUESTS.add(1, status=str(status), **labels)
        telemetry.SECONDS.record(seconds, **labels)
        principal: Principal | None = self._scope.get(PRINCIPAL)
        said: dict[str, Any] = {**labels, **(_whose(principal) if principal else {})}
        if status in (401, 403, 421) and error:
            emit("access.refused", status=status, reason=error.message, **said)
        if status == CLIENT_LEFT:
            emit("request.abandoned", ms=round(seconds * 1000, 1), **said)
        elif status >= 300 or self._route not in PROBES:
            code = error.code if error else None
            emit("request.answered", status=status, ms=round(seconds * 1000, 1), code=code, **said)

    @property
    def _method(self) -> str:
        # as a label, a method that anybody may invent would be a time series each
        method: str = self._scope["method"]
        return method if method in _METHODS else "other"

    @property
    def _route(self) -> str:
        return getattr(self._scope.get("route"), "path", "unmatched")
