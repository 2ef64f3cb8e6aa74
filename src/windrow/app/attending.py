"""What has to happen somewhere in every deployment, and may happen in any number of places at once."""

from datetime import timedelta

from windrow.app import pubsub
from windrow.app.background import Background
from windrow.app.housekeeping import keep_house
from windrow.app.notifying import keep_attached
from windrow.app.outside import Outside
from windrow.messages import Relay, RelayLimits
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings


def attend(
    background: Background, settings: Settings, database: Database, beyond: Outside, wakeups: Wakeups, *, name: str
) -> None:
    """Messages are delivered, words are indexed, what has had its time is swept."""
    limits = RelayLimits(grace=timedelta(seconds=settings.shutdown_timeout_sec))
    relay = Relay(database, beyond.sinks, wakeups, name=name, limits=limits)
    keep_house(background, settings, database, beyond.objects)
    keep_attached(background, settings, database)
    pubsub.keep_attached(background, settings, database)
    background.start("relay", relay.run)
