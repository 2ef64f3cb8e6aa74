"""What is in the post: an object that was written, a job, something for others, or something that nobody can read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windrow.media import dead_letter
from windrow.media.errors import DecodeMessageError


@dataclass(frozen=True, slots=True)
class Finalized:
    """An object was written. Without a `generation`, the sender told no more than its name."""

    bucket: str
    name: str
    generation: int | None
    event_id: str


@dataclass(frozen=True, slots=True)
class JobMessage:
    """A job sent by message: a JSON object, `data` as it was written."""

    json: Mapping[str, Any]
    data: bytes
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NotForUs:
    """In order, and nothing that this worker has to do with."""

    reason: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Not to be read; with the beginning of it, for whoever looks into the dead letters."""

    error: DecodeMessageError
    excerpt: str


Letter = Finalized | JobMessage | NotForUs | Malformed


def excerpt_of(text: bytes) -> str:
    """What dead letters show of it, on one printable line."""
    shown = dead_letter.excerpt_of(text)
    return " ".join("".join(char if char.isprintable() else " " for char in shown).split())


def excerpt_of_json(tree: Any) -> str:
    """The same of a part of a JSON document, flaws and all."""
    try:
        return excerpt_of(json.dumps(tree, default=str).encode())
    except RecursionError:
        return "[nested too deeply to be shown]"
