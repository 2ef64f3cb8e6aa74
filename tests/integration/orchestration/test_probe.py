"""The probe: a checkpoint through a real Temporal and a real Postgres."""

import pytest

from windrow import kv
from windrow.contracts.errors import Code, Fatal, RetryableTransient
from windrow.contracts.scope import Scope
from windrow.orchestration.connect import connect
from windrow.orchestration.probing import probe_key, round_trip
from windrow.postgres import Database

SCOPE = Scope("acme", "docs")


async def test_a_checkpoint_is_written_and_read_through_both_engines(database: Database, temporal_address: str) -> None:
    client = await connect(temporal_address, "default")

    first = await round_trip(client, database, SCOPE)
    second = await round_trip(client, database, SCOPE)

    assert (first.version, second.version) == (1, 2)
    found = await kv.get(database, probe_key(SCOPE))
    assert found
    assert found.value == {"note": second.note}
    assert found.semantics.purpose is kv.Purpose.CHECKPOINT


async def test_a_namespace_that_is_not_there_is_fatal_though_connecting_succeeds(temporal_address: str) -> None:
    with pytest.raises(Fatal, match="no namespace 'nowhere'") as caught:
        await connect(temporal_address, "nowhere")

    assert caught.value.code is Code.CONFIGURATION


async def test_a_temporal_that_is_away_is_transient_and_says_what_to_do() -> None:
    with pytest.raises(RetryableTransient) as caught:
        await connect("127.0.0.1:1", "default")

    assert caught.value.code is Code.TEMPORAL_UNREACHABLE
    assert "\n" not in caught.value.message
