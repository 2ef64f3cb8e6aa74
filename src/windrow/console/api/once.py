"""A write with an `Idempotency-Key` is done once: the same request again gets the first answer, another one under the same
key is refused. A request that did nothing has used no key; one that failed behind what it did has, and its answer tells what
that was."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Header
from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from windrow.postgres import Database, Transaction, idempotency
from windrow.web.edge import PRINCIPAL
from windrow.web.principal import Principal

T = TypeVar("T")
Act = Callable[[], Awaitable[T]]
Keep = Callable[[Transaction, T], Awaitable[None]]
REPLAYED = "idempotency-replayed"


class _Overtaken(Exception):
    """Rolls back what the same request, asked at the same time, has done already."""


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
        shape: TypeAdapter[T] = TypeAdapter(kind)

        async def written() -> Any:
            return shape.dump_python(await act(), mode="json")

        return self._told(kind, await idempotency.once(tx, self._name, self.request, written))

    async def around(
        self, database: Database, tenant_id: str, kind: type[T], act: Callable[[Keep[T]], Awaitable[T]]
    ) -> T:
        """For what has transactions of its own: at the end of each, `act` keeps what it has come to so far.

        If it dies behind one of them, that is the answer, and nothing is done again. Of the same request twice at the same
        time the first to commit goes on; the other's transaction is undone, and it answers what is kept by then.
        """
        if self.key is None:
            return await act(_keep_nothing)
        try:
            async with database.tenant(tenant_id) as tx:
                earlier = await idempotency.earlier(tx, self._name, self.request)
            if earlier is None:
                keeping = _Keeping(self._name, self.request, TypeAdapter(kind))
                done = await act(keeping.keep)
                async with database.tenant(tenant_id) as tx:
                    await keeping.keep(tx, done)
                return done
        except _Overtaken:
            async with database.tenant(tenant_id) as tx:
                earlier = await idempotency.earlier(tx, self._name, self.request)
            assert earlier, "whoever has claimed a key has answered"
        return self._told(kind, earlier)

    @property
    def _name(self) -> str:
        return f"api/{self.key}"

    def _told(self, kind: type[T], answer: idempotency.Answer) -> T:
        if answer.replayed:
            self.response.headers[REPLAYED] = "true"
        shape: TypeAdapter[T] = TypeAdapter(kind)
        return shape.validate_python(answer.value)


@dataclass(slots=True)
class _Keeping(Generic[T]):
    """The answer of a request that is under way."""

    name: str
    request: dict[str, Any]
    shape: TypeAdapter[T]
    ours: bool = False

    async def keep(self, tx: Transaction, so_far: T) -> None:
        if not self.ours and not await idempotency.claim(tx, self.name, self.request):
            raise _Overtaken
        await idempotency.answer(tx, self.name, self.shape.dump_python(so_far, mode="json"))
        tx.after_commit(self._is_ours)

    def _is_ours(self) -> None:
        self.ours = True


async def _keep_nothing(_tx: Transaction, _so_far: Any) -> None:
    """Nobody will ask for it."""


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
