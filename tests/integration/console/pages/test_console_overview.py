"""What needs a person stands first on the overview, with the way to where it can be mended."""

import json
import re
from uuid import UUID

from tests.integration.console.pages.fields import connect, insert, now
from tests.integration.console.pages.visitors import Console

from windrow.web.principal import Role


async def matters(site: Console, role: Role = Role.ADMIN) -> dict[str, str]:
    """How many of what there is, by where it leads."""
    shown = await (await site.visitor(role)).see("/")
    part = shown.partition('<ul class="matters">')[2].partition("</ul>")[0]
    found = re.findall(r'<span class="count">([^<]*)</span><div><strong><a href="([^"]*)">([^<]*)</a>', part)
    return {href: f"{count} {what}" for count, href, what in found}


async def test_each_matter_leads_to_where_it_can_be_mended(site: Console) -> None:
    with connect(site.database.url) as connection:
        place = {"project_id": "main", "endpoint_id": "github"}
        insert(connection, "outbox_lanes", **place, lane="live", stopped_at=now())
        refused = {"lane": "live", "run_id": "r", "observation": 1, "position": "1", "reasons": "[]", "excerpt": ""}
        for number in range(2):
            insert(connection, "quarantine", **place, id=str(number), **refused)
        failed = {"status": "failed", "failure_code": "TIMEOUT", "finished_at": now()}
        insert(connection, "jobs", project_id="main", kind="clip", payload="{}", **failed)
        media = {"project_id": "main", "request_id": "r", "media": json.dumps({"type": "file"})}
        for name in ("failed", "waiting", "fresh", "retried"):
            insert(connection, "media_jobs", job_id=name, **media)
        connection.execute("UPDATE media_jobs SET stage = 'Failed' WHERE job_id = 'failed'")
        connection.execute(
            "UPDATE media_jobs SET created_at = now() - interval '2 days' WHERE job_id IN ('waiting', 'retried')"
        )
        connection.execute("UPDATE media_jobs SET updated_at = created_at WHERE job_id = 'waiting'")

    found = await matters(site)
    assert found == {
        "/queues": "1 lane has stopped on a batch",
        "/jobs?status=failed": "1 job was given up since yesterday",
        "/media?stage=Failed": "1 media job has failed since yesterday",
        "/media?stage=Queued": "1 media job has been waiting for a day",
        "/quarantine": "2 records are in quarantine",
    }
    visitor = await site.visitor()
    for href in found:
        await visitor.see(href)


async def test_nobody_is_led_to_a_page_that_refuses_them(site: Console) -> None:
    letter = {"subscription": "s", "topic": "t", "key": "k", "position": 1, "attempts": 5}
    reason = {"error_class": "RetryableTransient", "code": "TIMEOUT", "reason": "no answer"}
    with connect(site.database.url) as connection:
        insert(connection, "dead_letters", message_id=UUID(int=1), **letter, **reason)

    for role in Role:
        for href in await matters(site, role):
            assert await (await site.visitor(role)).see(href)


async def test_nothing_is_counted_beyond_what_a_person_would_read(site: Console) -> None:
    with connect(site.database.url) as connection:
        connection.execute(
            """INSERT INTO jobs (tenant_id, project_id, kind, payload, status, failure_code, finished_at)
               SELECT current_tenant(), 'main', 'clip', '{}', 'failed', 'TIMEOUT', now() FROM generate_series(1, 1500)"""
        )

    assert await matters(site) == {"/jobs?status=failed": "1\u202f000+ jobs were given up since yesterday"}
