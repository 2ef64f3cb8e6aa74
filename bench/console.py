"""Pages of the console and lists of the API over a million items, 10,000 runs and 100,000 jobs: how long the server takes.

The whole application answers, from the request to the last byte, without a network before it. One at a time, as one person
clicks: what is measured is the work for a page, not how many people can look at once.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from psycopg import AsyncConnection
from pydantic import SecretStr
from starlette.types import ASGIApp, Message

from bench.crowd import SCOPE, Size, gather
from bench.figures import Bench
from windrow.app.api import api
from windrow.blobs import BlobLimits, Blobs
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.console.pages.site import Site
from windrow.console.session import Guest, SessionLimits, invite
from windrow.contracts.scope import Actor
from windrow.objects.local import LocalObjects
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.web.pace import PaceLimits
from windrow.web.principal import Principal, Role

HOST = "console.test"
TOKEN = "of the bench"
KEYS = [SigningKey("bench", b"a key that signs nothing of value")]
ROUNDS = 40

PAGES = {
    "overview": "/",
    "endpoints": "/endpoints",
    "endpoint": "/endpoints/repo1",
    "runs": "/runs",
    "runs_failed": "/runs?outcome=failed",
    "run": "/runs/repo1-run-0",
    "catalog": "/catalog",
    "catalog_rare": "/catalog?q=harvelerb",
    "catalog_common": "/catalog?q=src",
    "catalog_facet": "/catalog?q=src&type=page",
    "catalog_label": "/catalog?label=nothing-has-it",
    "item": "/catalog/{item}",
    "quarantine": "/quarantine",
    "quarantine_group": "{group}",
    "jobs": "/jobs",
    "jobs_failed": "/jobs?status=failed",
    "job": "/jobs/{job}",
    "media": "/media",
    "media_job": "/media/media-77",
    "queues": "/queues",
    "dead_letters": "/queues/dead-letters",
    "alerts": "/alerts",
    "audit": "/audit",
    "kv": "/kv",
    "api_items": "/api/v1/items",
    "api_items_label": "/api/v1/items?label=nothing-has-it",
    "api_items_endpoint": "/api/v1/items?endpoint=source-099",
    "api_facets": "/api/v1/items/facets",
    "api_search": "/api/v1/items/search?q=report",
    "api_runs": "/api/v1/runs",
    "api_jobs": "/api/v1/jobs",
    "api_audit": "/api/v1/audit",
}


class Key:
    """Knows one caller."""

    async def principal_of(self, token: str) -> Principal | None:
        return Principal(SCOPE, (Role.ADMIN,), "bench", "bench") if token == TOKEN else None


@dataclass
class Visitor:
    """Asks the application as a browser would, and holds a watch."""

    app: ASGIApp
    cookie: str = ""

    async def get(self, path: str) -> tuple[int, dict[str, str], bytes, float]:
        """The status, the headers, the body, and how many seconds it took."""
        told: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            told.append(message)

        raw, _, query = path.partition("?")
        headers = {"host": HOST, "accept": "text/html", "cookie": self.cookie, "authorization": f"Bearer {TOKEN}"}
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": raw,
            "raw_path": raw.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": (HOST, 80),
        }
        began = time.perf_counter()
        await self.app(scope, receive, send)
        spent = time.perf_counter() - began
        answered = {name.decode(): value.decode() for name, value in told[0]["headers"]}
        return told[0]["status"], answered, b"".join(each.get("body", b"") for each in told[1:]), spent


@asynccontextmanager
async def opened(url: str, temporal: str, directory: Path) -> AsyncIterator[Visitor]:
    """Somebody who is logged in to the console."""
    settings = Settings(home=directory, database_url=SecretStr(url), temporal_address=temporal)
    async with Database(url, size=4) as database:
        signer = UrlSigner(f"http://{HOST}/objects", KEYS)
        blobs = Blobs(database, LocalObjects(directory, signer), announce, BlobLimits())
        asked = api(settings, database, KEYS)
        tireless = SessionLimits(pace=PaceLimits(per_second=1e6, burst=10**6))
        asked = replace(asked, pace=tireless.pace)
        site = Site(blobs, f"http://{HOST}", asked.ports, sessions=tireless)
        try:
            visitor = Visitor(application(blobs, Key(), hosts={HOST}, signer=signer, api=asked, site=site))
            guest = Guest(SCOPE, Role.ADMIN, "bench", anywhere=False)
            link = (await invite(database, f"http://{HOST}", guest, Actor("bench", "bench"))).link
            _, headers, _, _ = await visitor.get(link.partition(HOST)[2])
            visitor.cookie = headers["set-cookie"].partition(";")[0]
            yield visitor
        finally:
            site.close()


async def paths(url: str) -> dict[str, str]:
    """The pages, with things in their addresses that are there."""
    async with Database(url, size=1) as database, database.tenant(SCOPE.tenant_id) as tx:
        found = await tx.connection.execute(
            """SELECT (SELECT item_id FROM items WHERE revision > 0 LIMIT 1) AS item,
                      (SELECT id FROM jobs ORDER BY seq DESC LIMIT 1) AS job"""
        )
        row = await found.fetchone()
    assert row, "something is there"
    return {
        name: path.replace("{item}", str(row["item"])).replace("{job}", str(row["job"])) for name, path in PAGES.items()
    }


async def measure(url: str, temporal: str, tell: Callable[[str, list[float]], None]) -> None:
    """Each page, so many times, in turns: what else the machine does falls upon all."""
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as home:
        async with opened(url, temporal, Path(home)) as visitor:
            wanted = await paths(url)
            wanted["quarantine_group"] = await _first(visitor, "/quarantine", '<a href="/quarantine/')
            spent: dict[str, list[float]] = {name: [] for name in wanted}
            for round_number in range(ROUNDS + 2):
                for name, path in wanted.items():
                    status, _, body, took = await visitor.get(path)
                    assert status == 200, f"{path}: {status} {body[:400]!r}"
                    if round_number >= 2:
                        spent[name].append(took)
    for name, took_each in spent.items():
        tell(name, took_each)


async def _first(visitor: Visitor, path: str, begins: str) -> str:
    """Where the first link of a page leads to that begins so."""
    _, _, body, _ = await visitor.get(path)
    return begins.removeprefix('<a href="') + body.decode().partition(begins)[2].partition('"')[0]


def centile(spent: list[float]) -> float:
    """In milliseconds, what 95 of 100 do not take longer than."""
    return quantiles(spent, n=20)[-1] * 1000


async def run(bench: Bench) -> None:
    """In a database that may be thrown away."""
    worst: list[float] = []

    def tell(name: str, spent: list[float]) -> None:
        worst.append(centile(spent))
        bench.report(f"console.{name}_p50_ms", median(spent) * 1000, "ms")
        bench.report(f"console.{name}_p95_ms", worst[-1], "ms", "< 150")

    await gather(bench.database_url, Size(), lambda _: None)
    await measure(bench.database_url, bench.temporal_address, tell)
    bench.report("console.worst_p95_ms", max(worst), "ms", "< 150")
    async with await AsyncConnection.connect(bench.database_url, autocommit=True) as owner:
        await owner.execute("SET search_path = windrow, public")
        await owner.execute("TRUNCATE items, search_words, search_backlog CASCADE")


def main() -> None:
    """Over a crowd that is there already: `python -m bench.console`, after `python -m bench.crowd`."""
    url = os.environ.get("WINDROW_DATABASE_URL")
    if not url:
        sys.exit("name the database that `python -m bench.crowd` has filled in WINDROW_DATABASE_URL")

    def tell(name: str, spent: list[float]) -> None:
        print(f"{name:<20} p50 {median(spent) * 1000:7.1f} ms   p95 {centile(spent):7.1f} ms", flush=True)

    asyncio.run(measure(url, "127.0.0.1:1", tell))


if __name__ == "__main__":
    main()
