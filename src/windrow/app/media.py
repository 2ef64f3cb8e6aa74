"""The media jobs of this installation: who enriches them, where they lie, and what keeps them moving."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from windrow.app.background import Background
from windrow.app.jobs import scratch_root
from windrow.app.ordering import clip_of
from windrow.app.outside import Outside
from windrow.app.places import whose
from windrow.app.probing import prober
from windrow.app.pulling import pulling
from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.events.opening import Opener, Owners
from windrow.http import HttpClient, HttpPolicy
from windrow.media import conducting, mirror, retention
from windrow.media.announcing import Topics
from windrow.media.conducting import Conductor
from windrow.media.enrichment import Enrichment, Files, youtube
from windrow.media.handling import Handler
from windrow.media.limits import MediaLimits
from windrow.media.mirror import Mirror
from windrow.media.places import Places
from windrow.media.speakers import Speakers
from windrow.media.sweeping import Sweeper
from windrow.messages.pubsub import Puller
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings
from windrow.vault import Secret

_SELDOM = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class MediaWork:
    """All that works on media jobs, in one process; any number of processes may."""

    handler: Handler
    opener: Opener
    places: Places
    mirror: Mirror
    sweeper: Sweeper
    conductor: Conductor
    pullers: Mapping[str, Puller]

    def start(self, background: Background, database: Database, *, keep: timedelta) -> None:
        """Whatever does not wait for a request; before the wake-ups begin to listen."""
        background.start("media.mirror", self.mirror.run)
        background.start("media.sweep", self.sweeper.run)
        background.start("media.conductor", self.conductor.run)
        for subscription, puller in self.pullers.items():
            background.start(f"media.pull.{subscription}", puller.run)
        background.every(_SELDOM, "media.look_through", self.sweeper.look_through)
        background.every(_SELDOM, "media.prune", lambda: retention.prune(database, self.mirror.forget, keep=keep))


@asynccontextmanager
async def media(settings: Settings, database: Database, beyond: Outside, wakeups: Wakeups) -> AsyncIterator[MediaWork]:
    """Wired for the length of a process."""
    async with AsyncExitStack() as kept:
        enrichment = await kept.enter_async_context(enriching(settings, database, beyond))
        named, topics = whose(settings, beyond.objects), topics_of(settings)
        handler = Handler(database, enrichment, named.places.store, topics=topics, limits=limits_of(settings))
        own = Scope(settings.tenant, settings.project)
        opener = Opener(handler, Owners(named.places, own, named.subscriptions))
        pullers = await kept.enter_async_context(pulling(settings, opener))
        yield MediaWork(
            handler,
            opener,
            named.places,
            Mirror(database, named.places, wakeups.on(mirror.CHANNEL)),
            Sweeper(
                database, named.places, handler.handle, wakeups.on(mirror.CHANNEL), own, unreadable=handler.unreadable
            ),
            Conductor(
                database, partial(clip_of, attempts=settings.max_attempts), topics, wakeups.on(conducting.CHANNEL)
            ),
            pullers,
        )


@asynccontextmanager
async def enriching(settings: Settings, database: Database, beyond: Outside) -> AsyncIterator[Enrichment]:
    """Who is asked about which media."""

    async def read_key() -> Secret:
        if settings.youtube_api_key_ref is None:
            raise Fatal(
                "there is no key for YouTube",
                code=Code.CREDENTIAL_MISSING,
                hint="name one in WINDROW_YOUTUBE_API_KEY_REF; jobs about its videos wait until then",
            )
        return await beyond.own.resolve(settings.youtube_api_key_ref)

    allow = settings.addresses_allowed
    policy = replace(youtube.POLICY, allow=allow)
    async with (
        HttpClient(HttpPolicy(source="media", allow=allow)) as http,
        youtube.opened(read_key, base_url=settings.youtube_url, policy=policy) as videos,
    ):
        # as deep as the directories of executions, so that what a killed process leaves is cleaned with those
        files = Files(prober(settings, beyond.objects, http, scratch_root(settings) / ".media" / "probes"))
        yield Enrichment({"youtube": videos, "file": files, "web": files}, Speakers(database))


def topics_of(settings: Settings) -> Topics:
    """Where changes are said."""
    return Topics(settings.work_topic, settings.events_topic, settings.dlq_topic)


def limits_of(settings: Settings) -> MediaLimits:
    """How long, and how often."""
    usual = MediaLimits()
    return replace(
        usual,
        enrichment=timedelta(seconds=settings.media_timeout_sec),
        retry=replace(usual.retry, attempts=settings.media_attempts),
    )
