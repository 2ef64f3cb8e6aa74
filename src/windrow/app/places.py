"""Where media jobs lie, and whose they are, as the settings say it."""

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.contracts.errors import Code, Fatal
from windrow.contracts.scope import Scope
from windrow.media.places import Place, Places, told
from windrow.objects import Objects, open_bucket
from windrow.settings import Settings

_SUBSCRIPTION = "subscription:"
_BUCKETS = ("gs://", "s3://")


@dataclass(frozen=True, slots=True)
class Whose:
    """The places, and whose the jobs of a subscription are."""

    places: Places
    subscriptions: Mapping[str, Scope]


def whose(settings: Settings, objects: Objects) -> Whose:
    """What the words of WINDROW_MEDIA_PLACES mean; beside them there is the installation's own store."""
    words = [told(word, settings.project) for word in settings.media_places]
    buckets = [word for word in words if word.url.startswith(_BUCKETS)]
    subscriptions = {
        word.url.removeprefix(_SUBSCRIPTION): word.scope for word in words if word.url.startswith(_SUBSCRIPTION)
    }
    if len(buckets) + len(subscriptions) < len(words):
        raise _wrong("a word names neither a bucket nor a subscription, or one subscription twice")
    if len({Place.of(word.url) for word in buckets}) < len(buckets) or len({word.scope for word in buckets}) < len(
        buckets
    ):
        # where would the objects of its jobs lie?
        raise _wrong("a place has two owners, or a tenant's project two places")
    given = {
        Place.of(word.url): (word.scope, open_bucket(word.url, endpoint=settings.object_store_endpoint))
        for word in buckets
    }
    own = Place.of(settings.object_store or "file:objects")
    return Whose(Places(objects, own, settings.project, given), subscriptions)


def _wrong(why: str) -> Fatal:
    return Fatal(
        f"WINDROW_MEDIA_PLACES: {why}",
        code=Code.CONFIGURATION,
        hint="write gs://BUCKET/PREFIX=TENANT or subscription:NAME=TENANT/PROJECT, each project with one bucket",
    )
