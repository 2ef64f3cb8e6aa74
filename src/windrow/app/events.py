"""The metadata worker, wired from the settings: served inside of a process, or as one of its own."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from windrow.app.attending import attend
from windrow.app.background import Background
from windrow.app.belonging import join
from windrow.app.compose import opened
from windrow.app.doorplate import TOKEN, doorplate, last_port
from windrow.app.media import MediaWork, media, topics_of
from windrow.app.outside import outside
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.events.application import application
from windrow.events.gate import Gate
from windrow.events.jobs import JobAddresses
from windrow.events.receiver import Receiver
from windrow.http import HttpClient, HttpPolicy
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings
from windrow.stack.ports import choose
from windrow.telemetry import bound, emit
from windrow.telemetry.export import export, serve_metrics
from windrow.vault import Secret
from windrow.web.kept_secret import kept_secret
from windrow.web.limits import ServerLimits
from windrow.web.local_token import LocalToken
from windrow.web.oidc import KeySet, Verifier
from windrow.web.principal import Principal, Role
from windrow.web.server import bind, door_of, is_loopback, names_of, serving

_NAME = "events"


@dataclass(frozen=True, slots=True)
class Served:
    """Where it answers, and the token of this machine, which is let in."""

    url: str
    token: Secret


@dataclass(frozen=True, slots=True)
class Running:
    """A metadata worker that runs, and where it answers."""

    url: str
    metrics_port: int


@asynccontextmanager
async def events(settings: Settings) -> AsyncIterator[Running]:
    """A process of its own, until the body ends: then what is in hand is finished."""
    check_callers(settings)
    with bound(agent="metadata-worker", directive="events"):
        async with AsyncExitStack() as running:
            exported = export("events", otlp_endpoint=settings.otlp_endpoint)
            running.callback(exported.shutdown)
            app = await running.enter_async_context(opened(settings))
            beyond = await running.enter_async_context(outside(settings, os.environ))
            await join(settings, app.database, beyond.objects)
            wakeups = Wakeups(app.database.url)
            work = await running.enter_async_context(media(settings, app.database, beyond, wakeups))
            background = await running.enter_async_context(Background())
            work.start(background, app.database, keep=timedelta(days=settings.media_retention_days))
            attend(background, settings, app.database, beyond, wakeups, name=f"events-{os.getpid()}")
            background.start("wakeups", wakeups.run)
            server, _ = serve_metrics(settings.metrics_port)
            running.callback(server.shutdown)
            web = await running.enter_async_context(served(settings, app.database, work))
            emit("process.started", process="events")
            yield Running(web.url, server.server_port)
        emit("process.stopped", process="events")


@asynccontextmanager
async def served(settings: Settings, database: Database, work: MediaWork) -> AsyncIterator[Served]:
    """Answer events as long as the block lasts."""
    check_callers(settings)
    home = settings.home.absolute()
    port = settings.events_port or choose({_NAME: None}, last_port(home, _NAME))[_NAME]
    listening = bind(settings.events_host, port, setting="WINDROW_EVENTS_PORT")
    async with AsyncExitStack() as kept:
        kept.callback(listening.close)
        token = kept_secret(home / TOKEN)
        own = Scope(settings.tenant, settings.project)
        machine = LocalToken(token, Principal(own, (Role.ADMIN,), "local", "token of this machine"))
        verifier = await kept.enter_async_context(verifying(settings))
        limits = ServerLimits(shutdown_seconds=settings.shutdown_timeout_sec)
        receiver = Receiver(work.opener, Gate(verifier, machine), limits, most_bytes=settings.event_bytes)
        jobs = JobAddresses(database, topics_of(settings), limits)
        # whoever has to show a token is not let in by the name they call us by
        hosts = None if verifier else names_of(listening)
        app = application(database, receiver, jobs, machine, hosts=hosts, limits=limits)
        await kept.enter_async_context(serving(app, listening, limits))
        url = f"http://{door_of(listening)}"
        await kept.enter_async_context(doorplate(home, url, _NAME))
        yield Served(url, token)


@asynccontextmanager
async def verifying(settings: Settings) -> AsyncIterator[Verifier | None]:
    """Who checks the tokens of those who push; nobody, where no audience is set."""
    audience = settings.pubsub_verification_audience
    if audience is None:
        yield None
        return
    policy = HttpPolicy(source="oidc", allow=settings.addresses_allowed)
    async with HttpClient(policy) as http, KeySet(http, settings.pubsub_token_keys) as keys:
        yield Verifier(settings.pubsub_token_issuer, audience, keys, emails=settings.pubsub_service_accounts)


def check_callers(settings: Settings) -> None:
    """Refuse to listen where strangers could push."""
    if settings.pubsub_verification_audience is None and not is_loopback(settings.events_host):
        raise Fatal(
            f"{settings.events_host[:80]!r} is not an address of this machine alone, and nobody would have to show a token",
            code=Code.CONFIGURATION,
            hint="set PUBSUB_VERIFICATION_AUDIENCE and WINDROW_PUBSUB_SERVICE_ACCOUNTS, or leave WINDROW_EVENTS_HOST at 127.0.0.1",
        )
    if settings.pubsub_verification_audience is not None and not settings.pubsub_service_accounts:
        raise Fatal(
            "an audience is set, and no account that may push: anybody can have a token made out to an audience",
            code=Code.CONFIGURATION,
            hint="name the service accounts in WINDROW_PUBSUB_SERVICE_ACCOUNTS",
        )
