"""What this section says: the kinds of reasons in words, an excerpt laid out to be read, and what became of what was tried."""

import json
from collections.abc import Sequence

from windrow.console.pages.words import number

WHY = {
    "SCHEMA": "not what the contract says",
    "RAW_BLOB": "content, where metadata is due",
    "TOO_LARGE": "too large",
    "TOO_DEEP": "nested too deeply",
    "NOT_STORABLE": "cannot be stored",
    "TRANSFORM": "the connector made no item of it",
}

# how it is said, for one and for many: only these words, whatever an address asks for
_DID = {
    "published": (
        "good",
        "It passes today, and is published as old as it is: what the source has said since stands above it.",
        "{} pass today, and are published as old as they are: what the source has said since stands above them.",
    ),
    "refused": (
        "warn",
        "It was refused again, and stays with the reasons of today: mend the connector or the source.",
        "{} were refused again, and stay with the reasons of today: mend the connector or the source.",
    ),
    "not-kept": (
        "warn",
        "It was not kept whole (too large, no JSON, or with a secret in it): the next run reads it from the source.",
        "{} were not kept whole (too large, no JSON, or with a secret in them): the next run reads them from the source.",
    ),
    "known": (
        "warn",
        "It stays: the catalog holds its item, perhaps newer. The next run asks the source; or dismiss it.",
        "{} stay: the catalog holds their items, perhaps newer. The next run asks the source; or dismiss them.",
    ),
    "changed": (
        "calm",
        "It was dealt with, or refused once more, in between: look at it again.",
        "{} were dealt with, or refused once more, in between: look at them again.",
    ),
    "untried": (
        "bad",
        "It could not be tried: its endpoint is gone, or could not be opened. Retry it by itself to see why.",
        "{} could not be tried: their endpoints are gone, or could not be opened. Retry one of them to see why.",
    ),
    "left": (
        "calm",
        "One is left that was not tried yet: it is below. Retry goes on from there.",
        "{} are left that were not tried yet: they are below. Retry goes on from there.",
    ),
    "dismissed": (
        "good",
        "It is dismissed. Nobody can take that back by hand; when the source sends it again, it is looked at anew.",
        "{} are dismissed. Nobody can take that back by hand; what the source sends again is looked at anew.",
    ),
    "stay": (
        "calm",
        "One stays: it came after you had looked, or was one too many for one time.",
        "{} stay: they came after you had looked, or were too many for one time.",
    ),
    "nothing": ("calm", "Nothing was left to be done: somebody was quicker.", "Nothing was left to be done."),
}


def told(did: Sequence[str]) -> list[tuple[str, str]]:
    """What was done, each with its tone, from `word` or `word:number`."""
    said = []
    for each in did[:20]:
        word, _, count = each.partition(":")
        if word in _DID and (not count or (count.isascii() and count.isdecimal() and len(count) < 9)):
            tone, one, many = _DID[word]
            said.append((tone, one if int(count or 1) == 1 else many.format(number(int(count)))))
    return said


def excerpt(text: str) -> str:
    """JSON that is whole is laid out in lines; anything else stays as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
