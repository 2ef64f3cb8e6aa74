"""Refused records for the pages: several things wrong, in several states, of several endpoints."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

# what is wrong with the first of these, as the address of its page names it
WIKI_GROUP = "d4601166fef4"
_WRONG: tuple[tuple[str, int, list[dict[str, str]]], ...] = (
    (
        "wiki",
        18,
        [
            {"why": "SCHEMA", "path": "/relations/{n}/kind", "message": "should match ^[a-z_]{{1,40}}$"},
            {"why": "SCHEMA", "path": "/source_updated_at", "message": "should be a date-time"},
        ],
    ),
    (
        "drive",
        7,
        [
            {
                "why": "RAW_BLOB",
                "path": "/attributes/preview",
                "message": "a text of {n}6500 characters; keep a link to it",
            }
        ],
    ),
    ("tracker", 2, [{"why": "TRANSFORM", "path": "", "message": "KeyError: 'field{n}'"}]),
)


def refused(
    connection: psycopg.Connection[Any], name: str, identity: str, reasons: list[dict[str, str]], **more: Any
) -> None:
    """One record in quarantine."""
    now = datetime.now(UTC)
    values: dict[str, Any] = {
        "project_id": "main",
        "endpoint_id": name,
        "id": identity,
        "lane": "live",
        "run_id": f"{name}-1",
        "observation": 7,
        "position": f"page 3 #{identity[-2:]}",
        "external_id": f"{name}-{identity[-4:]}",
        "reasons": json.dumps(reasons),
        "excerpt": json.dumps({"id": identity, "title": "The road to the orchard", "kind": "Links To"}),
        "record": "{}",
        "first_at": now - timedelta(days=2),
        "last_at": now - timedelta(minutes=30),
    }
    values |= more
    names = ", ".join(values)
    places = ", ".join(f"%({each})s" for each in values)
    connection.execute(f"INSERT INTO quarantine (tenant_id, {names}) VALUES (current_tenant(), {places})", values)


def plough_quarantine(connection: psycopg.Connection[Any]) -> None:
    """What the pages of quarantine show."""
    now = datetime.now(UTC)
    for name, count, wrong in _WRONG:
        for number in range(count):
            reasons = [{key: value.format(n=number) for key, value in each.items()} for each in wrong]
            refused(
                connection,
                name,
                f"{number:016x}",
                reasons,
                times=1 + number % 4,
                last_at=now - timedelta(minutes=7 * number + count),
                record="{}" if number % 5 else None,
            )
    for state in ("retried", "overtaken", "dropped"):
        refused(
            connection, "wiki", f"{state:f>16}"[:16], [{"why": "TOO_LARGE", "path": "", "message": "x"}], state=state
        )
