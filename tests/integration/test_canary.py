"""A canary: one secret, used everywhere a secret is used, appears in no log, exception, metric, span or database row."""

import json
import pickle
import traceback
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from prometheus_client import generate_latest
from tests.conftest import Said, Spans
from tests.fakes.web import Web, answer

from windrow import kv, messages
from windrow.contracts.errors import Fatal, RetryableTransient
from windrow.contracts.keys import Key
from windrow.contracts.retry import RetryPolicy
from windrow.contracts.scope import Actor, Scope
from windrow.http import HttpClient, HttpPolicy
from windrow.postgres import Database, audit
from windrow.postgres.wakeups import Wakeups
from windrow.telemetry import emit, span
from windrow.vault import Grants, Vault
from windrow.vault.environment import Environment

CANARY = "canary-9f2c7e41-do-not-sing"
SCOPE = Scope("acme", "main")
ME = Actor("tests", "local")
_NOW = timedelta(0)


def everything_stored(database_url: str, tenant: str) -> str:
    """Every row of every table that the tenant can see, as text."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("SET search_path = windrow, public")
        names = [
            row[0]
            for row in connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'windrow' AND tablename <> 'migrations'"
            )
        ]
        connection.execute("SET ROLE windrow_app")
        connection.execute("SELECT set_config('windrow.tenant_id', %s, false)", (tenant,))
        rows: list[Any] = []
        for name in names:
            try:
                rows += connection.execute(f"SELECT row_to_json(t)::text FROM {name} t").fetchall()  # type: ignore[arg-type]
            except psycopg.errors.InsufficientPrivilege:
                continue
    assert rows
    return "\n".join(row[0] for row in rows)


@pytest.mark.req("HV-3", "HV-40", "LT-3")
async def test_a_secret_that_is_used_everywhere_is_found_nowhere(
    database: Database, database_url: str, said: Said, spans: Spans
) -> None:
    shown: list[str] = []
    vault = Vault([Environment({"WINDROW_SECRET_GITHUB": CANARY})], Grants.parse(["env:WINDROW_SECRET_*"]))
    async with vault, Web() as web, HttpClient(HttpPolicy(source="canary", allow=(web.door,))) as client:
        secret = await vault.resolve("env:WINDROW_SECRET_GITHUB", "acme")
        # the other side echoes the credential back at us, as some do
        web.on("/hook", answer(403, {"error": f"token {CANARY} is not enough"}))

        with pytest.raises(Fatal) as refused:
            await client.get(web.url(f"/hook?access_token={CANARY}"), headers={"authorization": secret})
        shown += [str(refused.value), repr(refused.value), "".join(traceback.format_exception(refused.value))]
        assert CANARY in str(web.requests[0])  # it was really sent

        async with database.tenant("acme") as tx:
            await audit.record(
                tx, ME, "x.changed", "x", reason=f"rotated {CANARY}", details={"token": CANARY, "note": CANARY}
            )
            await messages.subscribe(
                tx,
                messages.Subscription(
                    name="hook", topic="jobs", sink="hook", policy=RetryPolicy(first=_NOW, ceiling=_NOW, attempts=1)
                ),
            )
            await messages.publish(tx, "jobs", {"done": 1}, key="k")
        relay = messages.Relay(
            database, {"hook": messages.Webhook(client, web.url("/hook"), secret=secret)}, Wakeups(database_url)
        )
        while await relay.run_once():
            pass
        async with database.tenant("acme") as tx:
            (letter,) = await messages.dead_letters(tx)
        shown.append(str(letter))

    await kv.put(
        database,
        Key.of(SCOPE, "harvest", "github", "cursor"),
        {"since": 1},
        expected_version=0,
        request_id="r",
        semantics=kv.Semantics(kv.Purpose.CURSOR, producer="test"),
        writer=kv.Writer("harvester", "github"),
    )
    with pytest.raises(RetryableTransient), span("canary.work", note=str(secret), url=f"https://x/?token={CANARY}"):
        emit("library.warned", logger="x", message=f"using {secret} and {CANARY}", error=ValueError(CANARY))
        raise RetryableTransient(f"failed with {CANARY}")
    shown += [repr(secret), str(secret), f"{secret}", json.dumps({"s": str(secret)})]
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(secret)

    places = {
        "shown": "\n".join(shown),
        "logs": "\n".join(said.raw),
        "spans": "\n".join(finished.to_json() for finished in spans.all()),
        "metrics": generate_latest().decode(),
        "rows": everything_stored(database_url, "acme"),
    }
    assert all(places.values())
    assert [place for place, text in places.items() if CANARY in text] == []
