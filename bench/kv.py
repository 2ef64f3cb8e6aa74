"""What a compare-and-set costs, ledger and audit row included, against the bare UPDATE on the same connection."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count

from psycopg import AsyncConnection

from bench.figures import Bench
from windrow import kv
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.postgres import Database, Transaction

ROUNDS = 40
TURNS = 25
WRITERS = 8
PUTS = 250
SCOPE = Scope("bench", "kv")
SEMANTICS = kv.Semantics(kv.Purpose.CURSOR, "bench", ("subscriber",))
WRITER = kv.Writer("bench", "kv")
VALUE = {"cursor_token": "2026-01-02T03:04:05Z", "batch_id": "b-000001", "item_count": 100}
TEXT = '{"batch_id":"b-000001","cursor_token":"2026-01-02T03:04:05Z","item_count":100}'

CREATE = b"""
DROP TABLE IF EXISTS windrow.bench_bare;
CREATE TABLE windrow.bench_bare (key text PRIMARY KEY, version bigint NOT NULL, value json NOT NULL) WITH (fillfactor = 70);
INSERT INTO windrow.bench_bare VALUES ('tenant/bench/project/kv/cursor', 1, '{}');
GRANT SELECT, UPDATE ON windrow.bench_bare TO windrow_app;
"""
UPDATE = b"""
UPDATE bench_bare SET value = %(value)s, version = version + 1 WHERE key = %(key)s AND version = %(expected)s
RETURNING version
"""


async def run(bench: Bench) -> None:
    """Measure on a database that may be thrown away."""
    async with await AsyncConnection.connect(bench.database_url, autocommit=True) as owner:
        await owner.execute(CREATE)
    async with Database(bench.database_url, size=WRITERS) as database:
        async with database.connection() as connection:
            bare, ours = await _alternated(Transaction(connection))
        bench.report("kv.bare_update_ms", bare * 1000, "ms")
        bench.report("kv.put_ms", ours * 1000, "ms")
        bench.report("kv.put_over_bare_update", ours / bare, "x", "<= 2.0")
        bench.report("kv.puts_per_second", await _puts_per_second(database), "1/s")


async def _alternated(tx: Transaction) -> tuple[float, float]:
    """The best round of each, in seconds a write; they take turns, so that a busy moment of the machine meets both."""
    key = Key.of(SCOPE, "cursor", str(time.time_ns()))
    versions, bare_versions = count(), count(1)

    async def bare() -> None:
        parameters = {"value": TEXT, "key": "tenant/bench/project/kv/cursor", "expected": next(bare_versions)}
        cursor = await tx.connection.execute(UPDATE, parameters)
        assert await cursor.fetchone()

    async def ours() -> None:
        await _put(tx, key, next(versions))

    for warming in (bare, ours):
        await _timed(warming, 20)
    rounds = [(await _timed(bare, TURNS), await _timed(ours, TURNS)) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


async def _timed(act: Callable[[], Awaitable[None]], turns: int) -> float:
    began = time.perf_counter()
    for _ in range(turns):
        await act()
    return (time.perf_counter() - began) / turns


async def _puts_per_second(database: Database) -> float:
    """Several writers, each of a key of its own, through the pool."""

    async def writer(name: int) -> None:
        key = Key.of(SCOPE, "writer", str(name), str(time.time_ns()))
        for version in range(PUTS):
            await _put(database, key, version)

    began = time.perf_counter()
    await asyncio.gather(*(writer(name) for name in range(WRITERS)))
    return WRITERS * PUTS / (time.perf_counter() - began)


async def _put(where: Database | Transaction, key: Key, expected: int) -> None:
    outcome = await kv.put(
        where,
        key,
        VALUE,
        expected_version=expected,
        request_id=f"r-{expected}",
        semantics=SEMANTICS,
        writer=WRITER,
        spec_ref="bench@1",
    )
    assert outcome == kv.Stored(expected + 1)
