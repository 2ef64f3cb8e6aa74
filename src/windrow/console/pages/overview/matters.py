"""What a person has to look at: what it is, what can be done, and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.console.pages.words import number
from windrow.postgres.pool import Row

# whether it is a thousand or ten of them, the same page is looked at next
MOST = 1000
LETTERS = "/queues/dead-letters"


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that does not mend itself."""

    count: int
    what: str
    hint: str
    href: str


# what is counted, how one and many of it are called, what to do, where
_OF_QUEUES = (
    (
        "stopped",
        ("lane has stopped on a batch", "lanes have stopped on a batch"),
        "See what the database said to it, then retry the batch or set it aside.",
        "/queues",
    ),
    (
        "dead",
        ("message could not be delivered", "messages could not be delivered"),
        "See why; each can be sent again, or let go.",
        LETTERS,
    ),
    (
        "given_up",
        ("job was given up since yesterday", "jobs were given up since yesterday"),
        "See what went wrong; each can be tried again.",
        "/jobs?status=failed",
    ),
    (
        "media_failed",
        ("media job has failed since yesterday", "media jobs have failed since yesterday"),
        "See what went wrong; each can be tried again from its beginning.",
        "/media?stage=Failed",
    ),
    (
        "media_waiting",
        ("media job has been waiting for a day", "media jobs have been waiting for a day"),
        "See what they wait for, and whether a metadata worker is up.",
        "/media?stage=Queued",
    ),
    (
        "quarantined",
        ("record is in quarantine", "records are in quarantine"),
        "See the reasons; mend the source or its configuration, then retry or dismiss them.",
        "/quarantine",
    ),
)


def matters(conditions: Mapping[str, int], queues: Row, letters: str) -> list[Matter]:
    """Those that there are, endpoints first. `letters` is where this visitor may look at what could not be delivered."""
    halted = conditions.get("halted", 0)
    words = "endpoint is halted" if halted == 1 else "endpoints are halted"
    found = [Matter(halted, words, "Mend the cause, then resume.", "/endpoints?condition=halted")]
    for name, (one, many), hint, href in _OF_QUEUES:
        where = letters if href == LETTERS else href
        found.append(Matter(queues[name], one if queues[name] == 1 else many, hint, where))
    return [matter for matter in found if matter.count]


def counted(count: int) -> str:
    """As far as was counted."""
    return f"{number(MOST)}+" if count > MOST else number(count)
