"""Lines of the trail for the pages: changes with their hashes, reasons, details, and somebody who was turned away."""

import json
from typing import Any

import psycopg

_LINES: tuple[dict[str, Any], ...] = (
    {"actor": "anna", "action": "endpoints.add", "subject": "endpoints/main/wiki", "after_hash": "5e" * 32},
    {
        "actor": "otto",
        "action": "endpoints.edit",
        "subject": "endpoints/main/wiki",
        "before_hash": "5e" * 32,
        "after_hash": "9d" * 32,
        "reason": "the wiki has moved to another space",
        "details": json.dumps({"connector": "confluence", "version": 2, "changed": ["config.space", "schedule"]}),
    },
    {"actor": "anna", "action": "quarantine.drop", "subject": "quarantine/wiki", "reason": "drafts: nobody reads them"},
    {"actor": "anna", "action": "outbox.retry", "subject": "lane/wiki/live", "reason": "the disk is larger now"},
    {"actor": "rita", "action": "access.refuse", "subject": "POST /endpoints/wiki/pause", "reason": "is no writer"},
)


def plough_audit(connection: psycopg.Connection[Any]) -> None:
    """What the page of the trail shows."""
    for line in _LINES:
        values = {"project_id": "main", "authority": "login link", **line}
        names = ", ".join(values)
        places = ", ".join(f"%({each})s" for each in values)
        connection.execute(f"INSERT INTO audit_log (tenant_id, {names}) VALUES (current_tenant(), {places})", values)
