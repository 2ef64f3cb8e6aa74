"""Whose a bucket is (EV-2, PROTOCOL "A media job moves")."""

import pytest

from windrow.contracts.errors import Fatal
from windrow.contracts.scope import Scope
from windrow.media.places import Place, Placed, Places, told
from windrow.objects import open_objects

ACME = Scope("acme", "av")
TALKS = Scope("talks", "default")


@pytest.fixture
def places() -> Places:
    objects = open_objects("memory:")
    own = Place("shared", "windrow/")
    return Places(
        objects,
        own,
        "default",
        {
            Place("talks"): (TALKS, objects.for_tenant("talks")),
            Place("shared", "media/acme/"): (ACME, objects.for_tenant("acme")),
            Place("shared", "media/"): (Scope("rest", "default"), objects.for_tenant("rest")),
        },
    )


@pytest.mark.parametrize(
    ("bucket", "name", "found"),
    [
        ("talks", "jobs/Queued/a.json", Placed(TALKS, "jobs/Queued/a.json")),
        ("shared", "media/acme/jobs/Queued/a.json", Placed(ACME, "jobs/Queued/a.json")),
        ("shared", "media/x/jobs/Queued/a.json", Placed(Scope("rest", "default"), "x/jobs/Queued/a.json")),
        ("shared", "windrow/zoo/jobs/Queued/a.json", Placed(Scope("zoo", "default"), "jobs/Queued/a.json")),
        ("shared", "windrow/zoo", None),
        ("shared", "windrow/../zoo/jobs/Queued/a.json", None),
        ("shared", "windrow/Zoo!/jobs/Queued/a.json", None),
        ("shared", "elsewhere/jobs/Queued/a.json", None),
        ("strange", "jobs/Queued/a.json", None),
    ],
)
def test_bucket_and_prefix_lead_to_a_tenant_and_the_narrowest_word_counts(
    places: Places, bucket: str, name: str, found: Placed | None
) -> None:
    assert places.find(bucket, name) == found


@pytest.mark.parametrize("scope", [TALKS, ACME, Scope("zoo", "default")])
def test_what_a_place_calls_an_object_leads_back_to_it(places: Places, scope: Scope) -> None:
    assert places.find(*places.name(scope, "jobs/Queued/a.json")) == Placed(scope, "jobs/Queued/a.json")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("gs://talks", Place("talks")),
        ("gs://talks/", Place("talks")),
        ("s3://shared/media/acme/", Place("shared", "media/acme/")),
        ("file:/var/lib/objects", Place("windrow")),
        ("memory:", Place("windrow")),
    ],
)
def test_a_stores_url_is_a_place(url: str, place: Place) -> None:
    assert Place.of(url) == place


def test_a_word_names_a_tenant_and_perhaps_its_project() -> None:
    assert told("gs://talks=acme", "default").scope == Scope("acme", "default")
    assert told("gs://talks/a=b=acme/av", "default").url == "gs://talks/a=b"
    assert told("gs://talks/a=b=acme/av", "default").scope == ACME


@pytest.mark.parametrize("word", ["", "acme", "=acme", "gs://talks=", "gs://talks=A B", "gs://talks=acme/x/y"])
def test_a_word_that_maps_nothing_is_refused_with_the_way_to_write_it(word: str) -> None:
    with pytest.raises(Fatal) as refused:
        told(word, "default")

    assert "WINDROW_MEDIA_PLACES" in (refused.value.hint or "")
