"""A write with an `Idempotency-Key` is done once: the same request again gets the first answer, another one under the same
key is refused. A request that failed has used no key."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from windrow.postgres import Database, Transaction, idempotency
from windrow.web.edge import PRINCIPAL
from windrow.web.principal import Principal

T = TypeVar("T")
Act = Callable[[], Awaitable[T]]
REPLAYED = "idempotency-replayed"


class _NotYet(Exception):
    """Rolls back the look for an answer that is not there."""


@dataclass(frozen=True, slots=True)
class Once:
    """One request, as it is recognised when it comes again."""

    key: str | None
    request: dict[str, Any]
    response: Response

    async def within(self, tx: Transaction, kind: type[T], act: Act[T]) -> T:
        """Do it in this transaction, unless it was done."""
        if self.key is None:
            return await act()
        return await self._answered(tx, kind, act)

    async def around(self, database: Database, tenant_id: str, kind: type[T], act: Act[T]) -> T:
        """For what is no transaction and does no harm when it is done again: of two at the same time, both may do it."""
        if self.key is None:
            return await act()
        try:
            async with database.tenant(tenant_id) as tx:
                return await self._answered(tx, kind, _not_yet)
        except _NotYet:
            done = await act()

        async def same() -> T:
            return done

        async with database.tenant(tenant_id) as tx:
            return await self._answered(tx, kind, same)

    async def _answered(self, tx: Transaction, kind: type[T], act: Act[T]) -> T:
        shape: TypeAdapter[T] = TypeAdapter(kind)

        async def written() -> Any:
            return shape.dump_python(await act(), mode="json")

        answer = await idempotency.once(tx, f"api/{self.key}", self.request, written)
        if answer.replayed:
            self.response.headers[REPLAYED] = "true"
        return shape.validate_python(answer.value)


async def _not_yet() -> Any:
    raise _NotYet


async def _once(
    request: Request,
    response: Response,
    idempotency_key: Annotated[
        str | None,
        Header(pattern=r"^[!-~]{1,200}$", description="Names this write: the same again is answered, not repeated."),
    ] = None,
) -> Once:
    principal: Principal = request.scope[PRINCIPAL]
    said = {
        "who": principal.subject,
        "project": principal.scope.project_id,
        "what": f"{request.method} {request.url.path}?{request.url.query}",
        "over": request.headers.get("if-match"),
        "body": hashlib.sha256(await request.body()).hexdigest(),
    }
    return Once(idempotency_key, said, response)


Repeatable = Annotated[Once, Depends(_once)]
