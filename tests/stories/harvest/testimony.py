"""What the processes told of themselves, in log lines and metrics, against what is in the tables.

What was committed is in the tables. A line tells of one transaction: never twice, never something else than what is
there. It may be missing where the process died before it heard that the transaction had committed, or where that answer
was lost on its way; at most once for each such fault. And what a process counted is what it told, at any moment of its life.
"""

from collections.abc import Sequence
from typing import Any

from tests.stories.harvest.gazette import EDITIONS, LANES
from tests.stories.harvest.ledger import RESULTS, Ledger
from tests.stories.harvest.processes import Said
from tests.stories.harvest.roles import ENDPOINT, run_of


def check_testimony(ledger: Ledger, said: Sequence[Said], unheard: int) -> None:
    """`unheard` is how many answers were lost on their way to processes that lived on."""
    harvesters = [one for one in said if one.job.role == "harvester"]
    subscribers = [one for one in said if one.job.role != "harvester"]
    for lane in LANES:
        _check(ledger, f"{lane}: published", *_published(ledger, lane, harvesters), _died(harvesters) + unheard)
        _check(ledger, f"{lane}: persisted", *_persisted(ledger, lane, subscribers), _died(subscribers) + unheard)
    for one in said:
        if one.metrics is not None:  # of one that was killed from outside, nobody had looked at them
            ledger.same(f"metrics of {one.job.log.name}", one.metrics, _counted(ledger, one))


def _check(ledger: Ledger, what: str, told: list[Any], due: list[Any], most_missing: int) -> None:
    ledger.same(f"{what}: twice or wrong", [one for one in told if told.count(one) > due.count(one)], [])
    missing = [one for one in due if one not in told]
    ledger.same(f"{what}: not told", missing[most_missing:], [])


def _published(ledger: Ledger, lane: str, harvesters: Sequence[Said]) -> tuple[list[Any], list[Any]]:
    """A line for each issue."""
    told = [
        (line["batch_id"], line["item_count"], line["repeats"], line["quarantined"])
        for one in harvesters
        for line in one.events("harvest.published")
        if line["run_id"] == run_of(lane)
    ]
    due = [
        (sheet[0]["batch_id"], len(issue.items), issue.repeats, issue.refused)
        for issue, sheet in zip(EDITIONS[LANES[lane]], ledger.sheets(lane), strict=True)
    ]
    return told, due


def _persisted(ledger: Ledger, lane: str, subscribers: Sequence[Said]) -> tuple[list[Any], list[Any]]:
    """A line for each transaction, with the sums of its batches."""
    told = [
        (line["seq"], line["batches"], [line[name] for name in RESULTS])
        for one in subscribers
        for line in one.events("batch.persisted")
        if (line["tenant_id"], line["lane"]) == (ledger.tenant, f"{ENDPOINT}/{lane}")
    ]
    due = [
        (rows[-1]["seq"], len(rows), [sum(row[name] for row in rows) for name in RESULTS])
        for rows in ledger.transactions(lane).values()
    ]
    return told, due


def _counted(ledger: Ledger, one: Said) -> dict[str, float]:
    """Its counters as its lines have them."""
    batches = {sheet[0]["batch_id"]: len(sheet) for lane in LANES for sheet in ledger.sheets(lane)}
    published, persisted = one.events("harvest.published"), one.events("batch.persisted")
    counted = {
        "harvest_items_total": sum(line["item_count"] for line in published),
        "harvest_quarantined_total": sum(line["quarantined"] for line in published),
        "harvest_batches_total": sum(batches[line["batch_id"]] for line in published),
    } | {f"worker_batch_processed_total {name}": sum(line[name] for line in persisted) for name in RESULTS}
    return {name: count for name, count in counted.items() if count}


def _died(processes: Sequence[Said]) -> int:
    return sum(one.died for one in processes)
