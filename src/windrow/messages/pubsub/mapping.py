"""Which topics go to Pub/Sub, from words of the operator, and the subscription that leads each of them there."""

import re
from collections.abc import Iterable
from datetime import timedelta

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.retry import RetryPolicy
from windrow.messages.subscription import Subscription

_WORD = re.compile(r"projects/[a-z0-9][a-z0-9.:-]*/topics/(?!goog)[A-Za-z][\w.~+%-]{2,254}", re.ASCII)
_FIRST, _CEILING = timedelta(seconds=1), timedelta(minutes=2)


def mapped(words: Iterable[str]) -> dict[str, str]:
    """The Pub/Sub topic of each topic of ours, from words such as `work=projects/acme/topics/work`."""
    found: dict[str, str] = {}
    for word in words:
        topic, _, there = word.partition("=")
        if not _WORD.fullmatch(there):
            raise _malformed(f"{word[:120]!r} is not TOPIC=projects/PROJECT/topics/NAME")
        if topic in found:
            raise _malformed(f"{topic!r} has two topics there", "name one, and give that one several subscriptions")
        try:
            subscription_of(topic)
        except ValidationFailure as error:
            raise _malformed(error.message, error.hint) from None
        found[topic] = there
    return found


def sink_of(topic: str) -> str:
    """The name of its sink, and of the subscription that leads there."""
    return f"pubsub.{topic}"


def subscription_of(topic: str, *, attempts: int | None = None) -> Subscription:
    """A sink of its own for each topic: one that is missing over there holds up no other."""
    # patient at its most with somebody who is away for long, and soon there when he is back
    policy = RetryPolicy(_FIRST, _CEILING, attempts=attempts, spread=0.5)
    return Subscription(name=sink_of(topic), topic=topic, sink=sink_of(topic), policy=policy)


def _malformed(what: str, hint: str | None = None) -> Fatal:
    return Fatal(f"WINDROW_PUBSUB_TOPICS: {what}", code=Code.CONFIGURATION, hint=hint or "see docs/how-to/pubsub.md")
