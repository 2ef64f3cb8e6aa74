"""Who is calling, and that nothing whatever can bring the reading of a request down."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.events.post import (
    ATTRIBUTES,
    BATCHED,
    JOB,
    NOTICE,
    RESOURCE,
    STRUCTURED,
    event,
    headers,
    pushed,
    typed,
)

from windrow.events.envelope import Caller, read
from windrow.events.headers import Headers
from windrow.events.letters import Finalized, JobMessage, Malformed, NotForUs
from windrow.media.dead_letter import LONGEST_EXCERPT

BODY = json.dumps(RESOURCE).encode()
OBJECT = Finalized("acme-media", "jobs/Queued/job-1.json", 1587627537231057, ATTRIBUTES["id"])
PLAIN = typed(b"application/json")


@pytest.mark.req("EV-1")
@pytest.mark.parametrize(
    ("headed", "body", "caller", "kinds"),
    [
        pytest.param(typed(STRUCTURED), event(), Caller.EVENTARC, [Finalized], id="structured"),
        pytest.param(typed(STRUCTURED.upper()), event(), Caller.EVENTARC, [Finalized], id="structured, in capitals"),
        pytest.param(typed(BATCHED), b"[]", Caller.EVENTARC, [], id="an empty batch"),
        pytest.param(
            typed(BATCHED),
            b"[" + event() + b"," + event(id=...) + b"," + event(type="a.b") + b"]",
            Caller.EVENTARC,
            [Finalized, Malformed, NotForUs],
            id="a batch of all sorts",
        ),
        pytest.param(headers(), BODY, Caller.EVENTARC, [Finalized], id="binary"),
        pytest.param(headers(), b"", Caller.EVENTARC, [Finalized], id="binary without data"),
        pytest.param(
            headers(type="google.cloud.pubsub.topic.v1.messagePublished"),
            pushed(JOB),
            Caller.EVENTARC,
            [NotForUs],
            id="an event about a message is an event",
        ),
        pytest.param(headers(without="id"), BODY, Caller.EVENTARC, [Malformed], id="binary, and incomplete"),
        pytest.param([(b"ce-id", b"1")], pushed(JOB), Caller.EVENTARC, [Malformed], id="one attribute makes an event"),
        pytest.param([*PLAIN, (b"ce-x", b"1")], pushed(JOB), Caller.PUBSUB, [JobMessage], id="any ce- header does not"),
        pytest.param(PLAIN, pushed(JOB), Caller.PUBSUB, [JobMessage], id="a push of a job"),
        pytest.param(PLAIN, pushed(RESOURCE, NOTICE), Caller.PUBSUB, [Finalized], id="a push of a notification"),
        pytest.param([], pushed(JOB), Caller.PUBSUB, [JobMessage], id="a push that does not say that it is JSON"),
        pytest.param(PLAIN, pushed("?"), Caller.PUBSUB, [Malformed], id="a push of garbage"),
        pytest.param(PLAIN, b'{"message": {}}', Caller.PUBSUB, [Malformed], id="a push of nothing"),
        pytest.param(PLAIN, pushed(JOB, {"a": "\ud800"}), Caller.PUBSUB, [Malformed], id="a push with a flaw"),
        pytest.param(PLAIN, event(), Caller.EVENTARC, [Malformed], id="an event sent as plain JSON"),
        pytest.param(typed(b"text/plain"), pushed(JOB), Caller.UNKNOWN, [Malformed], id="a push as plain text"),
        pytest.param(
            typed(b"application/json; charset=utf-16"), pushed(JOB), Caller.UNKNOWN, [Malformed], id="in UTF-16"
        ),
        pytest.param(PLAIN, b"{}", Caller.UNKNOWN, [Malformed], id="any JSON"),
        pytest.param(PLAIN, b'{"message": "hello"}', Caller.UNKNOWN, [Malformed], id="a message that is a text"),
        pytest.param(PLAIN, json.dumps(JOB).encode(), Caller.UNKNOWN, [Malformed], id="a job without an envelope"),
        pytest.param(PLAIN, b"", Caller.UNKNOWN, [Malformed], id="nothing"),
        pytest.param(typed(b"text/html"), b"<html></html>", Caller.UNKNOWN, [Malformed], id="HTML"),
        pytest.param(typed(b"garbage"), pushed(JOB), Caller.UNKNOWN, [Malformed], id="a content type that is none"),
        pytest.param([*PLAIN, *PLAIN], pushed(JOB), Caller.UNKNOWN, [Malformed], id="two content types"),
        pytest.param([(b"content-encoding", b"gzip")], b"\x1f\x8b", Caller.UNKNOWN, [Malformed], id="a packed body"),
        pytest.param(
            [*headers(), (b"Content-Encoding", b"br")], BODY, Caller.EVENTARC, [Malformed], id="a packed event"
        ),
    ],
)
def test_media_type_then_headers_then_body_tell_who_calls(
    headed: Headers, body: bytes, caller: Caller, kinds: list[type]
) -> None:
    found = read(headed, body)

    assert found.caller is caller
    assert [type(letter) for letter in found.letters] == kinds


def test_in_structured_mode_the_body_wins_over_any_header() -> None:
    misleading = [
        *typed(STRUCTURED),
        (b"ce-id", b"other"),
        (b"ce-id", b"third"),
        (b"ce-source", b"%%"),
        (b"ce-a-b", b""),
    ]

    assert read(misleading, event()).letters == (OBJECT,)


def test_in_binary_mode_an_event_in_the_body_is_only_data() -> None:
    (letter,) = read(headers(type="com.example.forwarded"), event()).letters

    assert isinstance(letter, NotForUs)


def test_a_push_says_which_delivery_it_is_even_if_it_cannot_be_read() -> None:
    found = read(PLAIN, pushed("?", around={"deliveryAttempt": 5}))

    assert (found.attempt, found.message_id, found.subscription) == (
        5,
        "136969346945",
        "projects/acme/subscriptions/work",
    )


def test_an_event_larger_than_every_consumer_must_take_is_read() -> None:
    assert read(typed(STRUCTURED), event(data={**RESOURCE, "metadata": {"note": "x" * 65536}})).letters == (OBJECT,)


@pytest.mark.parametrize(
    ("headed", "body", "shown"),
    [
        pytest.param(PLAIN, b"<html>\n\x00 hi\x1b[0m</html>", "<html> � hi [0m</html>", id="on one line, printable"),
        pytest.param(PLAIN, b"\xff" + b"a" * 5000, "�" + "a" * 1021, id="cut to its measure in bytes"),
        pytest.param(PLAIN, pushed(b"inside"), "inside", id="what is in a push is shown, not its base64"),
        pytest.param(
            [(b"ce-id", b"7"), (b"authorization", b"secret")], b"x", "ce-id: 7 x", id="headers of the event alone"
        ),
        pytest.param(typed(BATCHED), b'[{"a": NaN, "b": "\\ud800"}]', r'"b": "\ud800"}', id="a part of a batch"),
        pytest.param(PLAIN, b'{"u": "https://me:hush@example.org"}', "[redacted]", id="no secret"),
        pytest.param(
            typed(STRUCTURED), event(subject=None), '"id": "1096434104173400"', id="an event that names no object"
        ),
    ],
)
def test_what_cannot_be_read_is_shown_in_part(headed: Headers, body: bytes, shown: str) -> None:
    (letter,) = read(headed, body).letters

    assert isinstance(letter, Malformed)
    assert shown in letter.excerpt


NAMES = st.sampled_from(
    [b"content-type", b"Content-Type", b"content-encoding", b"ce-", *(f"ce-{n}".encode() for n in ATTRIBUTES)]
)
KINDS = st.sampled_from([STRUCTURED, BATCHED, b"application/json", b"application/json; charset=x", b"text/plain"])
VALUES = st.binary(max_size=20) | KINDS | st.sampled_from([str(value).encode() for value in ATTRIBUTES.values()])
HEADERS = st.lists(st.tuples(NAMES | st.binary(max_size=8), VALUES), max_size=8)

WORDS = st.sampled_from(
    [*ATTRIBUTES, "data", "data_base64", "message", "attributes", "bucket", "name", *NOTICE, "ce-id"]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([*ATTRIBUTES.values(), *NOTICE.values(), "eyJhIjoxfQ==", "\ud800"])
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=8),
    max_leaves=20,
)
BODIES = st.binary(max_size=200) | TREES.map(lambda tree: json.dumps(tree).encode())


def check_readable(found: Any) -> None:
    for letter in found.letters:
        assert isinstance(letter, Finalized | JobMessage | NotForUs | Malformed)
        if isinstance(letter, Malformed):
            assert letter.excerpt.isprintable()
            assert len(letter.excerpt.encode()) <= LONGEST_EXCERPT
            assert len(letter.error.message) < 300
            assert letter.error.message.isprintable()


@settings(max_examples=100, deadline=None)
@given(HEADERS, BODIES)
@example([(b"content-type", STRUCTURED)], b"[" * 10_000)
@example([(b"content-type", BATCHED)], b"[" + b"[" * 900 + b"]" * 900 + b"]")
@example([(b"content-type", STRUCTURED)], json.dumps({f"k{n}": n for n in range(100_000)}).encode())
@example([(b"content-type", STRUCTURED)], event(**{"x" * 10_000: 1.5}))
@example([(b"content-type", b"application/" + b"x" * 10_000)], b"{}")
def test_whatever_is_sent_is_read_without_a_fall(headed: Headers, body: bytes) -> None:
    check_readable(read(headed, body))


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(ATTRIBUTES)), st.text(max_size=20) | LEAVES, st.sampled_from(["structured", "batch", "push"])
)
def test_whatever_one_attribute_is_the_rest_does_not_fall(name: str, value: Any, way: str) -> None:
    body = event(**{name: value})
    match way:
        case "structured":
            check_readable(read(typed(STRUCTURED), body))
        case "batch":
            check_readable(read(typed(BATCHED), b"[" + body + b"]"))
        case _:
            check_readable(read(PLAIN, pushed(body, {"content-type": "application/cloudevents+json"})))
            check_readable(
                read(PLAIN, pushed(None, {f"ce-{key}": val for key, val in {**ATTRIBUTES, name: value}.items()}))
            )
