"""What goes wrong in life, on a small scale: a source that is not there, and a message that nobody takes."""

import asyncio
import uuid
from contextlib import suppress
from pathlib import Path

from windrow import endpoints, kv, messages
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.keys import Key
from windrow.contracts.retry import NEVER
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.persist import CHANGES
from windrow.postgres import Database

ENDPOINT = "attic"
SUBSCRIPTION = "demo-newsletter"
_PATIENCE = 10.0


async def source(database: Database, scope: Scope, path: Path, actor: Actor) -> Endpoint:
    """An endpoint whose directory is not there."""
    wanted = Endpoint(scope=scope, endpoint_id=ENDPOINT, connector="files", config={"path": str(path)})
    async with database.tenant(scope.tenant_id) as tx:
        return await endpoints.find(tx, scope, ENDPOINT) or await endpoints.add(tx, wanted, actor)


async def undelivered(database: Database, scope: Scope) -> int:
    """Somebody who listens to the catalog's changes and cannot take one: it becomes a dead letter. How many there are."""
    wish = messages.Subscription(name=SUBSCRIPTION, topic=CHANGES, policy=NEVER)
    async with database.tenant(scope.tenant_id) as tx:
        if not await messages.subscribe(tx, wish, since=messages.BEGINNING):
            return len(await messages.dead_letters(tx, subscription=SUBSCRIPTION))
    taken: list[messages.Delivery] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            # the relay may be at the routing itself: then there is nothing to be taken yet
            while not taken:
                await messages.route(database)
                async with database.tenant(scope.tenant_id) as tx:
                    taken = await messages.claim(tx, SUBSCRIPTION, by="demo", limit=1)
                    for delivery in taken:
                        error = Fatal("the newsletter has no such column", code=Code.INVALID_VALUE)
                        await messages.nack(tx, delivery, error)
    return len(taken)


async def note(database: Database, scope: Scope, actor: Actor) -> None:
    """A word in the semantic store, if there is none yet."""
    await kv.put(
        database,
        Key(scope, "demo/greeting"),
        {"hello": "world"},
        expected_version=0,
        request_id=uuid.uuid4().hex,
        semantics=kv.Semantics(kv.Purpose.ANNOTATION, producer="demo"),
        writer=kv.Writer("meta-api", "demo"),
        actor=actor,
    )
