"""What the pages of queues, alerts and key values show: a stopped lane, backlogs, dead letters, notices, entries."""

import json
import uuid
from datetime import timedelta
from typing import Any

import psycopg
from psycopg.types.json import Json
from tests.integration.console.pages.fields import insert, now

from windrow.notify import Channel, Notice, Severity, log_subscription, topic_of, webhook_subscription

Connection = psycopg.Connection[Any]

CURSOR = {"page": "opaque-token-of-the-source"}
LETTER = uuid.UUID("5b0f2c66-1111-4222-8333-444455556666")


def lane(
    connection: Connection, endpoint: str, *, pending: int = 0, why: str | None = None, name: str = "live"
) -> None:
    """A lane of the outbox, with batches that wait; with a reason, stopped on the first of them."""
    stopped = {"stopped_at": now() - timedelta(minutes=25), "stopped_seq": 901, "stopped_code": "INVALID_VALUE"}
    insert(
        connection,
        "outbox_lanes",
        project_id="main",
        endpoint_id=endpoint,
        lane=name,
        **({**stopped, "stopped_why": why} if why else {}),
    )
    for seq in range(901, 901 + pending):
        batch(connection, endpoint, seq, name)


def batch(connection: Connection, endpoint: str, seq: int, lane: str = "live") -> None:
    insert(
        connection,
        "harvest_outbox",
        project_id="main",
        endpoint_id=endpoint,
        lane=lane,
        seq=seq,
        batch_id=f"b{seq}",
        epoch=1,
        observation=seq,
        run_id=f"{endpoint}-0",
        source_system=endpoint,
        connector="rest",
        connector_version="1",
        spec_ref="directive.rest@1",
        fetched_at=now(),
        items=50,
        relations=0,
        tombstones=0,
        bytes=20_000,
        encoding="json",
        payload=b"{}",
        created_at=now() - timedelta(minutes=30 - (seq - 901)),
    )


def topic(connection: Connection, name: str, *subscriptions: str) -> None:
    connection.execute(
        "INSERT INTO topics (tenant_id, name, last_position) VALUES (current_tenant(), %s, 100) ON CONFLICT DO NOTHING",
        (name,),
    )
    for subscription in subscriptions:
        insert(
            connection,
            "subscriptions",
            name=subscription,
            topic=name,
            sink=None if subscription.endswith("pull") else "hook",
            ack_deadline=timedelta(seconds=30),
            retry_first=timedelta(seconds=2),
            retry_ceiling=timedelta(minutes=10),
            retry_attempts=40,
            retry_factor=2,
            retry_spread=0,
            created_at=now() - timedelta(days=20),
        )


def message(
    connection: Connection,
    topic: str,
    position: int | None,
    payload: Any,
    ago: timedelta,
    key: str = "github",
    **more: Any,
) -> uuid.UUID:
    """A message with its line; without a position it is not routed yet."""
    message_id = more.get("message_id", uuid.uuid4())
    at = now() - ago
    insert(
        connection,
        "messages",
        topic=topic,
        message_id=message_id,
        key=key,
        payload=Json(payload),
        attributes=Json(more.get("attributes", {})),
        published_at=at,
    )
    connection.execute(
        """INSERT INTO topic_log (tenant_id, topic, seq, key, message_id, appended_at, position, routed_at)
           VALUES (current_tenant(), %s, nextval('message_seq'), %s, %s, %s, %s, %s)""",
        (topic, key, message_id, at, position, at if position else None),
    )
    return message_id


def strand(connection: Connection, subscription: str, topic: str, done: int, key: str = "github", **more: Any) -> None:
    insert(
        connection,
        "strands",
        subscription=subscription,
        key=key,
        topic=topic,
        done=done,
        due_at=now() + timedelta(minutes=3),
        **more,
    )


def dead(
    connection: Connection,
    subscription: str,
    topic: str,
    message_id: uuid.UUID,
    reason: str,
    ago: timedelta,
    **more: Any,
) -> None:
    values = {"key": "github", "position": 1, "attempts": 40, "error_class": "Fatal", "code": "GONE", **more}
    insert(
        connection,
        "dead_letters",
        subscription=subscription,
        message_id=message_id,
        topic=topic,
        reason=reason,
        died_at=now() - ago,
        **values,
    )


def notice(connection: Connection, told: Notice, position: int | None, ago: timedelta) -> uuid.UUID:
    return message(connection, topic_of(told.channel), position, told.document(), ago, key=told.subject)


def entry(
    connection: Connection, path: str, value: Any, purpose: str = "annotation", version: int = 1, **more: Any
) -> None:
    """An entry, and the lines of the trail about it."""
    key = f"tenant/acme/project/main/{path}"
    values = {"producer": "harvester", "last_writer": "harvester:github", "request_id": "r-1", **more}
    insert(
        connection,
        "kv",
        key=key,
        version=version,
        value=Json(value),
        value_hash=f"h{version}",
        purpose=purpose,
        consumer_hints=Json(["console"]),
        updated_at=now() - timedelta(minutes=7),
        **values,
    )
    for number in range(1, version + 1):
        connection.execute(
            """INSERT INTO audit_log (tenant_id, project_id, actor, authority, action, subject, before_hash, after_hash, details, at)
               VALUES (current_tenant(), 'main', 'harvester:github', 'agent', 'kv.put', %s, %s, %s, %s, %s)""",
            (
                key,
                f"h{number - 1}",
                f"h{number}",
                json.dumps({"version": number}),
                now() - timedelta(minutes=7 * (version - number + 1)),
            ),
        )


def plough_queues(connection: Connection) -> None:
    """Something of everything."""
    lane(connection, "tracker", pending=4, why="value too long for the index of titles: 2712 bytes")
    lane(connection, "handbook", pending=2)
    lane(connection, "wiki")
    lane(connection, "github")
    topic(connection, "catalog.changes", "changes.search", "changes.warehouse", "changes.pull")
    topic(connection, "jobs")
    for position in range(1, 31):
        message(connection, "catalog.changes", position, {"batch": position}, timedelta(minutes=40 - position))
    failing = {
        "error": "the warehouse answered 503",
        "error_class": "RetryableTransient",
        "failed_at": now(),
        "attempts": 6,
    }
    strand(connection, "changes.warehouse", "catalog.changes", 8, **failing)
    strand(connection, "changes.pull", "catalog.changes", 27)
    for number in range(1, 5):
        said = {"batch": number, "token": "never shown", "changed": ["github/issue-1", "github/issue-2"]}
        message_id = LETTER if number == 1 else uuid.uuid4()
        message(
            connection,
            "jobs",
            number,
            said,
            timedelta(hours=number),
            message_id=message_id,
            attributes={"kind": "clip"},
        )
        dead(
            connection,
            "changes.warehouse",
            "jobs",
            message_id,
            "the table of changes is gone",
            timedelta(hours=number * 3 - 2),
        )
    _notices(connection)
    entry(connection, "harvest/github/cursor", CURSOR, "cursor", 12)
    entry(connection, "harvest/wiki/cursor", CURSOR, "cursor", 3)
    entry(connection, "flags/new-search", True, "feature_flag", 2)
    entry(connection, "notes/github", {"owner": "anna", "since": "2026"}, spec_ref="directive.github@1")
    entry(connection, "readme", "what stands here is for people")


def _notices(connection: Connection) -> None:
    for channel in Channel:
        log, webhook = log_subscription(channel).name, webhook_subscription(channel).name
        topic(connection, topic_of(channel), log, *([webhook] if channel in (Channel.PAGER, Channel.SECURITY) else []))
    security = Notice(
        channel=Channel.SECURITY,
        title="warehouse: the run failed (UNAUTHORIZED)",
        text="the token of the warehouse was refused: it has run out",
        severity=Severity.CRITICAL,
        project_id="main",
        endpoint_id="warehouse",
        run_id="warehouse-0",
        error_class="Fatal",
        code="UNAUTHORIZED",
        hint="put a new one where `credential_ref` points, then `windrow schedule resume warehouse`",
    )
    lost = notice(connection, security, 1, timedelta(minutes=11))
    dead(
        connection,
        webhook_subscription(Channel.SECURITY).name,
        topic_of(Channel.SECURITY),
        lost,
        "hooks.example answered 410: the webhook is gone",
        timedelta(minutes=9),
        key=security.subject,
    )
    ops = Notice(
        channel=Channel.OPS,
        title="tracker: the run failed (NETWORK)",
        text="the tracker closed the connection in the middle of a page",
        project_id="main",
        endpoint_id="tracker",
        run_id="tracker-0",
        error_class="RetryableTransient",
        code="NETWORK",
    )
    for number in range(1, 4):
        notice(connection, ops, number, timedelta(hours=26 * (3 - number), minutes=10))
    quarantine = Notice(
        channel=Channel.MAINTAINERS,
        title="github: 3 of 400 records were refused (0.75 %)",
        text="They are in quarantine, each with its reasons; the rest goes on.",
        severity=Severity.WARNING,
        project_id="main",
        endpoint_id="github",
        run_id="github-0",
        hint="`windrow quarantine list --endpoint github` shows why",
    )
    notice(connection, quarantine, 1, timedelta(minutes=12))
    paged = Notice(
        channel=Channel.PAGER,
        title="4 runs failed within 24 hours",
        text="main/tracker: NETWORK, 4 x",
        severity=Severity.CRITICAL,
    )
    notice(connection, paged, 1, timedelta(days=2))
    for number in range(2):
        insert(
            connection,
            "failed_runs",
            run_id=f"tracker-{number}",
            project_id="main",
            endpoint_id="tracker",
            code="NETWORK",
        )
