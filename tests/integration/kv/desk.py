"""What the tests of the store write with: one key, one writer, and puts that say only what matters to the test."""

import re
from typing import Any

from prometheus_client import generate_latest

from windrow import kv
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Transaction

ACME = Scope("acme", "main")
KEY = Key.of(ACME, "harvest", "github", "cursor")
WRITER = kv.Writer("harvester", "github")
CURSOR = kv.Semantics(kv.Purpose.CURSOR, "harvester", ("subscriber",))
FLEETING = kv.Semantics(kv.Purpose.LATCH, "orchestrator", ("worker",), ttl_seconds=60)


async def put(where: Database | Transaction, value: Any, expected: int, request: str, **more: Any) -> kv.Outcome:
    said = {"key": KEY, "semantics": CURSOR, "writer": WRITER} | more
    return await kv.put(where, value=value, expected_version=expected, request_id=request, **said)


async def delete(where: Database | Transaction, expected: int, request: str, **more: Any) -> kv.Outcome:
    said = {"key": KEY, "writer": WRITER} | more
    return await kv.delete(where, expected_version=expected, request_id=request, **said)


async def run_out(database: Database, key: Key = KEY) -> None:
    """Let the entry's time pass, by moving its end instead of waiting for it."""
    async with database.tenant(key.scope.tenant_id) as tx:
        await tx.connection.execute(
            "UPDATE kv SET expires_at = clock_timestamp() - interval '1 ms' WHERE key = %s AND expires_at IS NOT NULL",
            [str(key)],
        )


def counted(metric: str, **labels: str) -> float:
    """What the Prometheus page says now."""
    lines = re.findall(rf"^{metric}(\{{[^}}]*\}})? (\S+)", generate_latest().decode(), re.MULTILINE)
    wanted = [f'{name}="{value}"' for name, value in labels.items()]
    return sum(float(value) for shown, value in lines if all(label in shown for label in wanted))
