"""Tidings: a source's word that something of it has changed (HV-80).

A delivery may be late, and come after a younger one: what it says of a thing is never taken for the thing. It only names what
to look at. The thing is asked for, and becomes the same item as in a harvest, in the order of the questions.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from windrow.vault import Secret

# what a thing is found by: JSON, made by the connector, understood by nobody else
Reference = Any

LONGEST_DELIVERY_ID = 200


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came in: headers by their names in lower case, and the body as it was on the wire."""

    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Heard:
    """A delivery that is the source's own: how the source names it, and what there is to look at."""

    delivery_id: str
    references: tuple[Reference, ...] = ()


class Hearing(ABC):
    """A connector whose source can call us. Its configuration says by `webhook_secret_ref` how deliveries are signed."""

    @classmethod
    @abstractmethod
    def heard(cls, config: BaseModel, delivery: Delivery, secret: Secret) -> Heard | None:
        """What the delivery tells; None if it was not signed with the secret. Malformed: a ValidationFailure."""

    @abstractmethod
    async def look_up(self, references: Sequence[Reference]) -> list[Any]:
        """The records of these as they are now, such as `item` takes; of what is gone, records that become tombstones.

        What the configuration leaves out is left out. What cannot be told for certain is left to the next listing.
        """
