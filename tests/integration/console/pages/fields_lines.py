"""What runs have said: some with a gap, a warning and an error."""

import json
from datetime import timedelta
from typing import Any

import psycopg
from tests.integration.console.pages.fields import insert, now

TRACE = 'Traceback (most recent call last):\n  File "connector.py", line 12, in fetch\nValueError: the page is no JSON'


def lines(connection: psycopg.Connection[Any], run_id: str, *said: tuple[int, str, str, dict[str, Any]]) -> None:
    """The log of a run: numbers, levels, events and fields."""
    insert(connection, "run_logs", project_id="main", run_id=run_id, lines=said[-1][0], serious=0)
    for number, level, event, fields in said:
        insert(
            connection,
            "run_lines",
            run_id=run_id,
            number=number,
            at=now() - timedelta(seconds=1000 - number),
            level=level,
            event=event,
            fields=json.dumps(fields),
        )


def plough_lines(connection: psycopg.Connection[Any]) -> None:
    started = {"agent": "harvester", "lane": "live", "epoch": 7, "cursor": "fp:3f9a11c0", "page_size": 100}
    published = {"agent": "harvester", "batch_id": "github-5d1f", "item_count": 100, "repeats": 2, "bytes": 30_112}
    refused = {"agent": "harvester", "quarantined": 2, "reasons": [{"index": 3, "reasons": ["schema /display_name"]}]}
    waited = {"agent": "harvester", "retry_in_seconds": 2.5, "error_class": "RetryableTransient", "error": TRACE}
    lines(
        connection,
        "github-0",
        (1, "INFO", "harvest.started", started),
        *((number, "INFO", "harvest.published", published) for number in range(2, 9)),
        (310, "WARN", "http.retried", waited),
        (311, "ERROR", "harvest.quarantined", refused),
        (
            312,
            "INFO",
            "batch.persisted",
            {"agent": "meta-worker", "lane": "github/live", "created": 40, "seconds": 0.2},
        ),
    )
