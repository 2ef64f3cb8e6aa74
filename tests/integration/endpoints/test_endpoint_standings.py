"""Which sources are well can be seen from a shell, all of them at once."""

from windrow import endpoints
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.orchestration import scheduling
from windrow.postgres import Database

MAIN, OTHER = Scope("acme", "main"), Scope("acme", "other")
OPERATOR = Actor("cli:olga", "shell of this machine")


async def test_each_endpoint_stands_with_what_keeps_it_from_being_well(database: Database) -> None:
    async with database.tenant("acme") as tx:
        for scope, name in ((MAIN, "annex"), (MAIN, "wiki"), (OTHER, "wiki"), (MAIN, "sold")):
            await endpoints.add(tx, Endpoint(scope=scope, endpoint_id=name, connector="files"), OPERATOR)
        await endpoints.remove(tx, MAIN, "sold", actor=OPERATOR, reason="it was sold")
    await scheduling.pause(database, MAIN, "annex", OPERATOR, "it moves")

    async with database.tenant("acme") as tx:
        ours, all_of_them = await endpoints.standings(tx, MAIN), await endpoints.standings(tx)

    assert ours == {("main", "annex"): ("paused", "it moves"), ("main", "wiki"): ("new", None)}
    assert all_of_them == ours | {("other", "wiki"): ("new", None)}
