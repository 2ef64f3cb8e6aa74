"""What may be kept as a value, with the hash by which it is compared."""

import hashlib
from dataclasses import dataclass
from typing import Any

from windrow.contracts.storable import Storable

LARGEST = 1024 * 1024
VALUE = Storable("value", LARGEST, "keep it in the object store, and its key here")


@dataclass(frozen=True, slots=True)
class Canonical:
    """A value as it is kept: the same value in any key order has one text and one hash."""

    text: str
    hash: str


def canonical(value: Any) -> Canonical:
    """The text and hash of a value; refused if it is no JSON, or beyond the bounds."""
    text = VALUE.text(value)
    return Canonical(text, hashlib.sha256(text.encode()).hexdigest())
