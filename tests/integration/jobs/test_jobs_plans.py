"""What a word about a job in hand costs: it is found by its id, and not among all that is in hand."""

import re

from tests.integration.jobs.hands import Hands
from tests.integration.jobs.workshop import enqueue_many

from windrow.postgres import Database, Query
from windrow.postgres.queries import load

Q = load("windrow.jobs")
FENCED = ("heartbeat", "source_ready", "progress", "name_artifact", "done", "fail", "hand_back", "stop", "abort")


def explained(query: Query) -> Query:
    """How a worker comes to run it: with the plan that fits whatever it is given."""
    text = query.text.decode()
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", text)
    return Query("explained", query.reason, f"EXPLAIN (GENERIC_PLAN) {numbered}".encode())


async def test_a_job_in_hand_is_found_by_its_id(database: Database) -> None:
    await enqueue_many(database, 3000)
    await Hands(database, "busy").acquire(300)

    async with database.system(Q.careful) as tx:
        plans = {name: str(await tx.rows(explained(getattr(Q, name)))) for name in FENCED}

    assert [name for name, plan in plans.items() if "jobs_pkey" not in plan or "jobs_processing" in plan] == []
