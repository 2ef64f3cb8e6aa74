"""The small grammars that events are written in: times, URIs and media types."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.events import uri
from windrow.events.media_type import MediaType, media_type
from windrow.events.timestamp import timestamp
from windrow.media.errors import DecodeMessageError


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2018-04-05T17:31:00Z", datetime(2018, 4, 5, 17, 31, tzinfo=UTC)),
        ("2018-04-05t17:31:00z", datetime(2018, 4, 5, 17, 31, tzinfo=UTC)),
        ("2018-04-05T17:31:00-00:00", datetime(2018, 4, 5, 17, 31, tzinfo=UTC)),
        ("2018-04-05T17:31:00.5+05:30", datetime(2018, 4, 5, 12, 1, 0, 500_000, UTC)),
        ("2018-04-05T23:31:00-23:59", datetime(2018, 4, 6, 23, 30, tzinfo=UTC)),
        ("2014-10-02T15:01:23.045123456Z", datetime(2014, 10, 2, 15, 1, 23, 45_123, UTC)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("1990-12-31T15:59:60-08:00", datetime(1991, 1, 1, tzinfo=UTC)),
        ("2020-02-29T00:00:00Z", datetime(2020, 2, 29, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_as_rfc_3339_writes_it(text: str, moment: datetime) -> None:
    assert timestamp(text) == moment
    assert timestamp(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2018-04-05T17:31:00", id="without an offset, nobody knows when"),
        pytest.param("2018-04-05", id="a day is no time"),
        pytest.param("2018-04-05 17:31:00Z", id="a blank is no T"),
        pytest.param("2018-04-05T17:31Z", id="seconds are not optional"),
        pytest.param("2018-04-05T17:31:00.Z", id="a point without a fraction"),
        pytest.param("2018-04-05T17:31:00,5Z", id="a comma for the point"),
        pytest.param("2018-04-05T17:31:00+0530", id="an offset without its colon"),
        pytest.param("2018-04-05T17:31:00+24:00", id="an offset of a whole day"),
        pytest.param("2018-04-05T24:00:00Z", id="hour 24"),
        pytest.param("2018-02-29T00:00:00Z", id="a day that year did not have"),
        pytest.param("2018-04-05T17:31:60Z", id="a leap second in the afternoon"),
        pytest.param("2018-04-05T17:31:61Z", id="second 61"),
        pytest.param("0000-01-01T00:00:00Z", id="the year nought"),
        pytest.param("0001-01-01T00:00:00+23:59", id="before the first year"),
        pytest.param("9999-12-31T23:59:60Z", id="after the last year"),
        pytest.param("2018-04-05T17:31:00Z\n", id="a line break behind it"),
        pytest.param("٢٠١٨-04-05T17:31:00Z", id="digits that are not ASCII"),
        pytest.param("1522949460", id="seconds since 1970"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_rfc_3339_time_is_refused(text: str) -> None:
    with pytest.raises(DecodeMessageError):
        timestamp(text)


@settings(max_examples=50, deadline=None)
@given(st.datetimes(), st.integers(-1439, 1439))
def test_any_time_of_python_comes_back(naive: datetime, minutes: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return

    assert timestamp(moment.isoformat()) == moment


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/cloudevents",
        "mailto:cncf-wg-serverless@lists.cncf.io",
        "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66",
        "/cloudevents/spec/pull/123",
        "1-555-123-4567",
        "//storage.googleapis.com/projects/_/buckets/b",
        "http://user@[2001:db8::1]:8080/a/b;c=1?q=/?#f",
        "#fragment",
        "a%20b",
    ],
)
def test_a_uri_reference_is_taken(text: str) -> None:
    assert uri.is_reference(text)


@pytest.mark.parametrize(
    "text", ["a b", "grün", "a%2", "a%zz", "1:a", "http://[::1", "a#b#c", "<a>", "a\\b", "a\n", "//a:port", "a" * 9000]
)
def test_what_no_uri_may_hold_is_refused(text: str) -> None:
    assert not uri.is_reference(text)


@pytest.mark.parametrize(
    ("text", "absolute"),
    [("https://example.com/s?v=1", True), ("urn:a:b", True), ("/s", False), ("//h/s", False), ("http://h/#f", False)],
)
def test_an_absolute_uri_has_a_scheme_and_no_fragment(text: str, absolute: bool) -> None:
    assert uri.is_absolute(text) is absolute


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("application/json", MediaType("application/json")),
        ("Application/CloudEvents+JSON", MediaType("application/cloudevents+json")),
        ("text/plain;charset=UTF-8", MediaType("text/plain", "utf-8")),
        ('text/plain ; a=b;; CharSet="u\\tf-8" ;', MediaType("text/plain", "utf-8")),
    ],
)
def test_a_media_type_is_read_with_its_charset(text: str, found: MediaType) -> None:
    assert media_type(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "json",
        "a/b/c",
        "a/b; c",
        "a/b; c=",
        "a /b",
        "a/b;charset=a;charset=b",
        'a/b;c="',
        "a/b, a/b",
        "a/b\n",
        "a/é",
    ],
)
def test_what_is_no_media_type_is_refused(text: str) -> None:
    with pytest.raises(DecodeMessageError):
        media_type(text)


@pytest.mark.parametrize(
    ("text", "event", "batch", "is_json"),
    [
        ("application/cloudevents+json", True, False, True),
        ("APPLICATION/CLOUDEVENTS+avro; a=b", True, False, False),
        ("application/cloudevents-batch+json", False, True, True),
        ("application/cloudevents-batch", False, True, False),
        ("application/json", False, False, True),
        ("application/vnd.api+json", False, False, True),
        ("application/jsonp", False, False, False),
    ],
)
def test_the_mode_is_in_the_media_type(text: str, event: bool, batch: bool, is_json: bool) -> None:
    found = media_type(text)

    assert (found.is_event, found.is_batch, found.is_json) == (event, batch, is_json)
