"""What `windrow doctor` looks at: each check says how it is, and what to do where it is not well."""

import asyncio
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from windrow.app.belonging import adopt, is_fleeting, paired
from windrow.app.compose import database_url, temporal_address
from windrow.app.outside import objects
from windrow.contracts.errors import Code, Fatal, WindrowError, classify
from windrow.contracts.scope import Actor, Scope
from windrow.postgres import Database
from windrow.postgres.migrate import inspect, migrate
from windrow.postgres.version import server_version
from windrow.settings import Settings, unknown
from windrow.stack import discover
from windrow.telemetry import redact

ROOM = 1 << 30


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's report."""

    name: str
    verdict: Verdict
    detail: str
    hint: str | None = None


async def examine(settings: Settings, *, repair: bool = False, adopter: Actor | None = None) -> AsyncIterator[Check]:
    """Every check in order; one that needs another that failed is skipped. An adopter gives the database another store."""
    yield _settings()
    yield await _guarded("home", lambda: _home(settings))
    yield await _guarded("stack", lambda: _stack(settings))
    database = await _guarded("postgres", lambda: _postgres(settings))
    yield database
    schema = await _after(database, "schema", lambda: _schema(settings, repair))
    yield schema
    stored = await _guarded("objects", lambda: _objects(settings))
    yield stored
    yield await _after(schema, "store", lambda: _after(stored, "store", lambda: _store(settings, adopter)))
    temporal = await _guarded("temporal", lambda: _temporal(settings))
    yield temporal
    yield await _after(schema, "checkpoint", lambda: _after(temporal, "checkpoint", lambda: _checkpoint(settings)))
    namespaces = await _after(temporal, "namespaces", lambda: _namespaces(settings, repair))
    yield namespaces
    yield await _after(
        schema, "schedules", lambda: _after(namespaces, "schedules", lambda: _schedules(settings, repair))
    )
    yield await _after(namespaces, "workers", lambda: _workers(settings))
    if settings.oidc_issuer:
        yield await _guarded("issuer", lambda: _issuer(settings))


async def _guarded(name: str, check: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await check()
    except (WindrowError, OSError) as error:
        ours = classify(error)
        return Check(name, Verdict.FAIL, redact(ours.message), ours.hint)


async def _after(needed: Check, name: str, check: Callable[[], Awaitable[Check]]) -> Check:
    if needed.verdict is not Verdict.OK:
        return Check(name, Verdict.SKIPPED, f"needs {needed.name}")
    return await _guarded(name, check)


def _settings() -> Check:
    strays = unknown()
    if not strays:
        return Check("settings", Verdict.OK, "every WINDROW_ variable is known")
    meant = ", ".join(f"{name} (meant {near}?)" if near else name for name, near in strays.items())
    return Check("settings", Verdict.WARN, f"not known: {meant}", "see docs/reference/settings.md")


async def _home(settings: Settings) -> Check:
    home = settings.home.absolute()
    there = next(path for path in (home, *home.parents) if path.exists())
    if not there.is_dir():
        return Check("home", Verdict.FAIL, f"{there} is not a directory", "choose another directory (WINDROW_HOME)")
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        return Check("home", Verdict.WARN, f"{there} is closed to this user", "check its owner and its permissions")
    free = shutil.disk_usage(there).free
    if free < ROOM:
        return Check("home", Verdict.WARN, f"{home}: {free >> 20} MiB free", "free some space, or set WINDROW_HOME")
    return Check("home", Verdict.OK, f"{home}: {free >> 30} GiB free")


async def _stack(settings: Settings) -> Check:
    if settings.database_url and settings.temporal_address:
        return Check("stack", Verdict.OK, "both engines are your own servers")
    running = discover(settings.home.absolute())
    if running is None:
        return Check("stack", Verdict.FAIL, f"nothing runs in {settings.home}", "start it with `windrow up`")
    return Check("stack", Verdict.OK, f"runs in {settings.home} as process {running.pid}")


async def _postgres(settings: Settings) -> Check:
    version = await server_version(database_url(settings))
    return Check("postgres", Verdict.OK, f"PostgreSQL {version} answers")


async def _schema(settings: Settings, repair: bool) -> Check:
    url = settings.owner_url.get_secret_value() if settings.owner_url else database_url(settings)
    schema = await (migrate(url) if repair else inspect(url))
    if schema.pending and not repair:
        missing = ", ".join(f"{migration.number:04}" for migration in schema.pending)
        return Check(
            "schema", Verdict.FAIL, f"migrations {missing} are missing", "`windrow doctor --repair` applies them"
        )
    count = len(schema.applied) + len(schema.pending)
    return Check(
        "schema",
        Verdict.OK,
        f"{count} migrations" + (f", {len(schema.pending)} of them just now" if schema.pending else ""),
    )


async def _objects(settings: Settings) -> Check:
    store, key, data = objects(settings).for_tenant(settings.tenant), f"probe/{uuid.uuid4().hex}", b"windrow doctor"
    await store.put_if_absent(key, data)
    try:
        if await store.get(key) != data:
            raise Fatal("the object store gives back other bytes than it was given", code=Code.CORRUPTED)
    finally:
        await store.delete(key)
    place = settings.object_store or f"{settings.home / 'objects'}"
    return Check("objects", Verdict.OK, f"written, read and deleted in {place}")


async def _store(settings: Settings, adopter: Actor | None) -> Check:
    store = objects(settings)
    if is_fleeting(store):
        return Check(
            "store", Verdict.WARN, "in memory: objects are gone with their process", "name one in WINDROW_OBJECT_STORE"
        )
    async with Database(database_url(settings), size=1) as database:
        pair = await (adopt(settings, database, store, adopter) if adopter else paired(settings, database, store))
    pair.must_match()
    if pair.known is None:
        return Check("store", Verdict.OK, "none is known yet: the first process that uses one makes it the database's")
    return Check("store", Verdict.OK, f"the one of this database since {pair.known.since:%Y-%m-%d}")


async def _temporal(settings: Settings) -> Check:
    address = temporal_address(settings)
    if address is None:
        return Check(
            "temporal",
            Verdict.FAIL,
            "no Temporal is known",
            "start it with `windrow up`, or set WINDROW_TEMPORAL_ADDRESS",
        )
    # Temporal's client takes a while to load; not every check needs it
    from windrow.app.temporal import temporal_target
    from windrow.orchestration.connect import connect_to

    await connect_to(await temporal_target(settings, os.environ, address))
    return Check("temporal", Verdict.OK, f"answers at {address}, namespace {settings.temporal_namespace}")


async def _checkpoint(settings: Settings) -> Check:
    from windrow.app.temporal import temporal_target
    from windrow.orchestration.connect import connect_to
    from windrow.orchestration.probing import round_trip

    address = temporal_address(settings)
    assert address, "the check before this one connected to it"
    client = await connect_to(await temporal_target(settings, os.environ, address))
    begun = asyncio.get_running_loop().time()
    async with Database(database_url(settings), size=2) as database:
        written = await round_trip(client, database, Scope(settings.tenant, settings.project))
    took = (asyncio.get_running_loop().time() - begun) * 1000
    return Check(
        "checkpoint",
        Verdict.OK,
        f"version {written.version} written and read through Temporal and Postgres in {took:.0f} ms",
    )


async def _namespaces(settings: Settings, repair: bool) -> Check:
    from windrow.app.orchestration_checks import check_namespaces

    return await check_namespaces(settings, repair=repair)


async def _schedules(settings: Settings, repair: bool) -> Check:
    from windrow.app.orchestration_checks import check_schedules

    return await check_schedules(settings, repair=repair)


async def _workers(settings: Settings) -> Check:
    from windrow.app.orchestration_checks import check_workers

    return await check_workers(settings)


async def _issuer(settings: Settings) -> Check:
    from windrow.app.oidc import answers  # the console takes a while to load

    keys = await answers(settings)
    return Check("issuer", Verdict.OK, f"{settings.oidc_issuer} answers; keys to check tokens with: {keys}")
