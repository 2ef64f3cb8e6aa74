"""What may be asked of a lease, and how a missing one reads."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windrow import leases
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.leases import Held, Lease, Lost, Reason
from windrow.postgres import Database

KEY = Key.of(Scope("acme", "main"), "preview", "github")
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"holder": ""}, "a holder is"),
        ({"holder": "x" * 201}, "a holder is"),
        ({"holder": "a\0"}, "a holder is"),
        ({"ttl": timedelta(0)}, "a lease lasts"),
        ({"ttl": timedelta(seconds=-1)}, "a lease lasts"),
        ({"ttl": timedelta(days=8)}, "a lease lasts"),
        ({"slots": 0}, "a key has"),
        ({"slots": 1001}, "a key has"),
    ],
)
async def test_what_cannot_be_a_lease_is_refused_before_the_database_is_asked(asked: dict[str, Any], rule: str) -> None:
    nowhere = Database("postgresql://nobody@127.0.0.1:1/nothing")

    with pytest.raises(ValidationFailure, match=rule):
        await leases.acquire(nowhere, KEY, **{"holder": "ada", "ttl": timedelta(seconds=1)} | asked)


def test_a_held_lease_tells_by_whom_and_until_when() -> None:
    conflict = Held("ada", MOMENT).conflict(KEY)

    assert conflict.code is Code.CONTENTION
    assert conflict.message == f"{KEY} is held by ada until 2026-01-02T03:04:05+00:00"
    assert Held(None, None).conflict(KEY).message == f"{KEY} is held by another"


def test_a_lost_lease_tells_its_epoch_and_why() -> None:
    conflict = Lost(Reason.SUPERSEDED).conflict(Lease(KEY, 0, 7, "ada", timedelta(seconds=1), MOMENT))

    assert conflict.code is Code.LEASE_LOST
    assert conflict.message == f"the lease on {KEY} (epoch 7) is lost: superseded"
