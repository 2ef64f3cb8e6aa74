"""Notices, as the settings want them delivered: the sinks of the relay, and the subscriptions that lead to them."""

from collections.abc import Mapping
from datetime import timedelta

from windrow import notify
from windrow.app.background import Background
from windrow.http import HttpClient, HttpPolicy
from windrow.http.policy import Timeouts
from windrow.messages import Sink
from windrow.notify import Channel, Hook, Log, Resolve
from windrow.postgres import Database
from windrow.settings import Settings
from windrow.vault import Secret

# how late the first notice of a tenant may be
_SOON = timedelta(seconds=5)
# well within the time that a delivery has, so that a chat that hangs is heard of as such
_TIMEOUTS = Timeouts(connect=5, idle=10, total=15, queue=15)


def client(settings: Settings) -> HttpClient:
    """Outgoing HTTP to webhooks of channels."""
    return HttpClient(HttpPolicy(source="notify", allow=settings.addresses_allowed, timeouts=_TIMEOUTS))


def sinks(settings: Settings, http: HttpClient, resolve: Resolve) -> Mapping[str, Sink]:
    """The log, and a sink for each channel that has a webhook."""
    posted = {
        _sink_of(channel): hook(settings, http, reference, resolve)
        for channel, reference in notify.hooks(settings.notify).items()
    }
    return {notify.LOG_SINK: Log(), **posted}


def hook(settings: Settings, http: HttpClient, credential_ref: str, resolve: Resolve) -> Hook:
    """The sink of one webhook."""
    secret = Secret(settings.webhook_secret.get_secret_value()) if settings.webhook_secret else None
    return Hook(http, credential_ref, resolve, secret=secret)


def keep_attached(background: Background, settings: Settings, database: Database) -> None:
    """Subscribe to the channels of tenants as they begin; for processes that relay."""
    with_webhook = frozenset(notify.hooks(settings.notify))
    background.every(_SOON, "notify.attach", lambda: notify.attach(database, with_webhook))


def _sink_of(channel: Channel) -> str:
    sink = notify.webhook_subscription(channel).sink
    assert sink, "a webhook's subscription is pushed"
    return sink
