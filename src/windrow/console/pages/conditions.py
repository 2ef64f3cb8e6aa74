"""How an endpoint is, in one word; and what that word means to a person."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """A word, the tone in which it is said, and its meaning."""

    word: str
    tone: str
    meaning: str


CONDITIONS = {
    condition.word: condition
    for condition in (
        Condition("well", "good", "its last run read the source to its end"),
        Condition("running", "busy", "a run is under way, or about to be"),
        Condition("waiting", "warn", "a run failed and is tried again by itself"),
        Condition("paused", "calm", "somebody paused it: nothing begins by itself"),
        Condition("halted", "bad", "a failure that only a person can mend: nothing begins by itself"),
        Condition("failed", "bad", "its last run failed; the next one is due by its schedule"),
        Condition("ended", "calm", "its last run was cancelled, or taken over by another"),
        Condition("new", "calm", "it was never read"),
    )
}

# the same tones for how a run ended
OUTCOMES = {
    "done": "good",
    "running": "busy",
    "failed": "bad",
    "cancelled": "calm",
    "superseded": "calm",
    "more": "busy",
}
