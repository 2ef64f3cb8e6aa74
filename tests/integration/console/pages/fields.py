"""A tenant with something on every page: endpoints in every condition, runs, batches, quarantine, jobs, dead letters."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg


def now() -> datetime:
    """What is drawn minute by minute is laid out anew: a whole run of the tests takes longer than that."""
    return datetime.now(UTC)


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{7*7777777}}"
WHAT_IT_WOULD_DO = ("<script>alert", "<img src=x", "54444439")  # no clock and no count reads like the sum
SECRET_RUN = "github-20261116T060000-aaaaaa"


def stays_text(shown: str) -> bool:
    """Whether nothing of HOSTILE was taken for markup, nor run as a template."""
    return not any(done in shown for done in WHAT_IT_WOULD_DO)


_CONDITIONS = {
    "github": ("done", {}),
    "wiki": ("done", {}),
    "warehouse": (
        "failed",
        {
            "halted_at": timedelta(hours=2),
            "halted_code": "CREDENTIAL_MISSING",
            "halted_why": "the token of the warehouse was refused: it has run out",
        },
    ),
    "drive": (
        "done",
        {"paused_at": timedelta(days=1), "paused_by": "anna", "paused_why": "the drive is being moved this week"},
    ),
    "handbook": ("running", {}),
    "tracker": ("failed", {}),
    "archive": (None, {}),
}
_CONNECTORS = {
    "wiki": "confluence",
    "warehouse": "postgres",
    "drive": "onedrive",
    "handbook": "git",
    "tracker": "rest",
    "archive": "files",
}


def connect(url: str, tenant: str = "acme") -> psycopg.Connection[Any]:
    """As the application, for the tenant."""
    connection = psycopg.connect(url, autocommit=True)
    connection.execute("SET search_path = windrow, public")
    connection.execute("SET ROLE windrow_app")
    connection.execute("SELECT set_config('windrow.tenant_id', %s, false)", (tenant,))
    return connection


def insert(connection: psycopg.Connection[Any], table: str, **values: Any) -> None:
    names = ", ".join(values)
    places = ", ".join(f"%({name})s" for name in values)
    connection.execute(f"INSERT INTO {table} (tenant_id, {names}) VALUES (current_tenant(), {places})", values)


def endpoint(
    connection: psycopg.Connection[Any], name: str, connector: str = "github", schedule: str | None = "1h"
) -> None:
    insert(
        connection,
        "endpoints",
        project_id="main",
        endpoint_id=name,
        connector=connector,
        config="{}",
        schedule=schedule,
        created_at=now() - timedelta(days=30),
    )


def run(connection: psycopg.Connection[Any], name: str, run_id: str, ago: timedelta, **more: Any) -> None:
    begun = now() - ago
    values: dict[str, Any] = {
        "project_id": "main",
        "endpoint_id": name,
        "run_id": run_id,
        "lane": "live",
        "state": "ended",
        "begun_at": begun,
        "ended_at": begun + timedelta(seconds=95),
        "pages": 4,
        "fetched": 400,
        "published": 390,
        "repeats": 8,
        "quarantined": 2,
        "bytes": 1_250_000,
        "outcome": "done",
        "settled": json.dumps({"created": 40, "updated": 60, "deleted": 3, "unchanged": 287, "outdated": 0}),
    }
    insert(connection, "harvest_runs", **(values | more))


def plough(url: str, tenant: str = "acme") -> None:
    """All of it."""
    with connect(url, tenant) as connection:
        for name, (outcome, controls) in _CONDITIONS.items():
            endpoint(connection, name, _CONNECTORS.get(name, "github"), None if name == "archive" else "1h")
            if controls:
                since = {at: now() - ago for at, ago in controls.items() if isinstance(ago, timedelta)}
                insert(connection, "endpoint_controls", project_id="main", endpoint_id=name, **(controls | since))
            if outcome:
                _season(connection, name, outcome)
        _batches(connection, "github-0")
        _lifecycles(connection)
        _left_over(connection)
        plough_sections(connection)


def plough_sections(connection: psycopg.Connection[Any]) -> None:
    """What each section has of its own; imported here, since they stand on this module."""
    from tests.integration.console.pages.fields_audit import plough_audit
    from tests.integration.console.pages.fields_catalog import plough_catalog
    from tests.integration.console.pages.fields_jobs import plough_jobs, plough_media
    from tests.integration.console.pages.fields_lines import plough_lines
    from tests.integration.console.pages.fields_quarantine import plough_quarantine
    from tests.integration.console.pages.fields_queues import plough_queues

    plough_catalog(connection, now())
    plough_lines(connection)
    plough_queues(connection)
    plough_quarantine(connection)
    plough_audit(connection)
    plough_jobs(connection)
    plough_media(connection)


def _season(connection: psycopg.Connection[Any], name: str, outcome: str) -> None:
    for back in range(20):
        ended: dict[str, Any] = {"fetched": 40 + (back * 37 + len(name) * 53) % 400}
        if back == 0 and outcome == "failed":
            ended |= {
                "outcome": "failed",
                "code": "NETWORK",
                "error_class": "RetryableTransient",
                "message": "the tracker closed the connection in the middle of a page",
                "settled": None,
            }
        if back == 0 and outcome == "running":
            ended |= {"outcome": None, "state": "running", "ended_at": None, "settled": None}
        if back == 7:
            ended |= {"outcome": "failed", "code": "TIMEOUT", "message": "no answer in 30 s"}
        minutes = 12 + 60 * back if name != "drive" else 60 * 26 + 60 * back
        run(connection, name, f"{name}-{back}", timedelta(minutes=minutes), **ended)


def _batches(connection: psycopg.Connection[Any], run_id: str) -> None:
    for seq in range(1, 41):
        pending = seq > 38
        settled = now() - timedelta(minutes=60 - seq * 1.5)
        insert(
            connection,
            "harvest_outbox",
            project_id="main",
            endpoint_id="github",
            lane="live",
            seq=seq,
            batch_id=f"b{seq}",
            epoch=1,
            observation=seq,
            run_id=run_id,
            source_system="github",
            connector="github",
            connector_version="1",
            spec_ref="directive.github@1",
            fetched_at=settled,
            items=100,
            relations=10,
            tombstones=1,
            bytes=30_000,
            encoding="json",
            payload=b"{}",
            status="pending" if pending else "processed",
            created_at=settled,
            settled_at=None if pending else settled,
            created=None if pending else (seq * 7) % 50,
            updated=None if pending else (seq * 11) % 40,
            deleted=None if pending else 1,
            unchanged=None if pending else 20,
            outdated=None if pending else 0,
        )


def _lifecycles(connection: psycopg.Connection[Any]) -> None:
    cut = ("Backoff", "the tracker closed the connection in the middle of a page", now() + timedelta(minutes=4))
    _lifecycle(connection, "tracker", ("Pending", None, None), ("Running", None, None), cut)
    _lifecycle(connection, "github", ("Pending", None, None), ("Running", None, None), ("Completed", None, None))


def _lifecycle(connection: psycopg.Connection[Any], name: str, *steps: tuple[str, str | None, datetime | None]) -> None:
    for number, (state, reason, due) in enumerate(steps):
        insert(
            connection,
            "sync_transitions",
            project_id="main",
            endpoint_id=name,
            workflow_id=f"sync/acme/main/{name}",
            number=number,
            state=state,
            run_id=None if number == 0 else f"{name}-0",
            reason=reason,
            code="NETWORK" if reason else None,
            failures=1 if reason else 0,
            next_retry_at=due,
            at=now() - timedelta(minutes=12 - number * 2),
        )


def _left_over(connection: psycopg.Connection[Any]) -> None:
    for number in range(3):
        insert(
            connection,
            "quarantine",
            project_id="main",
            endpoint_id="github",
            id=f"q{number}",
            lane="live",
            run_id="github-0",
            observation=1,
            position=f"page 2, record {number}",
            external_id=f"issue-{number}",
            reasons=json.dumps([{"why": "schema", "path": "/display_name", "message": "is empty"}]),
            excerpt='{"display_name": ""}',
        )
    for number in range(5):
        insert(
            connection,
            "jobs",
            project_id="main",
            kind="clip",
            payload="{}",
            status="queued" if number < 4 else "failed",
            failure_code=None if number < 4 else "TIMEOUT",
            finished_at=None if number < 4 else now(),
        )
    connection.execute(
        """INSERT INTO audit_log (tenant_id, project_id, actor, authority, action, subject, reason)
           VALUES (current_tenant(), 'main', 'anna', 'test', 'schedule.reschedule', 'endpoints/github', 'quieter at night')"""
    )
