"""Words of requests that several operations take."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query
from pydantic import AfterValidator, AwareDatetime, StringConstraints

_NAME = r"^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$"
# whatever can be read by people and held by Postgres
_READABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
_PLAIN = r"^[^\x00-\x1f\x7f]*$"

Name = Annotated[str, StringConstraints(pattern=_NAME)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=_PLAIN)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=_READABLE, strip_whitespace=True)]

NamedEndpoint = Annotated[str, Path(pattern=_NAME, description="The endpoint's name.")]
OfEndpoint = Annotated[str | None, Query(pattern=_NAME, description="Only those of this endpoint.")]
Why = Annotated[str, Query(min_length=1, max_length=1000, pattern=_READABLE, description="Why, for the audit trail.")]


def _of_our_time(moment: datetime) -> datetime:
    """Calendars end earlier in Postgres than in Python, and in another zone earlier still."""
    if not 2000 <= moment.year < 2200:
        raise ValueError("a time between the years 2000 and 2200")
    return moment.astimezone(UTC)


Moment = Annotated[AwareDatetime, AfterValidator(_of_our_time)]
