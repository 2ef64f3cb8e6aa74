"""A blob as its row tells it, and what somebody asks for who wants to bring one."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.objects.content_type import checked_content_type

LONGEST_NAME = 255
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
# what a row or a header cannot hold, and what would make a name look like another
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\\\]")


class State(StrEnum):
    """How far a blob has come."""

    REQUESTED = "requested"
    UPLOADED = "uploaded"
    LINKED = "linked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """One blob. `key`, `size` and `sha256` are known once it was uploaded."""

    tenant_id: str
    blob_id: UUID
    project_id: str
    item_id: UUID
    state: State
    media_type: str
    name: str | None
    announced_size: int | None
    announced_sha256: str | None
    key: str | None
    size: int | None
    sha256: str | None
    requested_by: str
    requested_at: datetime
    expires_at: datetime
    uploaded_at: datetime | None
    linked_at: datetime | None

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Blob":
        return cls(**row | {"state": State(row["state"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be uploaded, as far as its bringer knows."""

    scope: Scope
    item_id: UUID
    media_type: str
    size: int | None = None
    sha256: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        checked_content_type(self.media_type)
        if self.size is not None and self.size < 0:
            raise _wrong("the announced size is negative", "give the number of bytes, or leave it out")
        if self.sha256 is not None and not _SHA256.fullmatch(self.sha256):
            raise _wrong("the announced sha256 is not one", "give 64 hexadecimal digits in lower case, or leave it out")
        if self.name is not None and (not 0 < len(self.name) <= LONGEST_NAME or _UNFIT.search(self.name)):
            raise _wrong(
                "the name is not one for a file",
                f"use up to {LONGEST_NAME} characters, without slashes, control characters and directions of writing",
            )


@dataclass(frozen=True, slots=True)
class Ticket:
    """A blob, and the URL that is good for one thing with it."""

    blob: Blob
    url: str
    expires_at: datetime


def _wrong(message: str, hint: str) -> ValidationFailure:
    return ValidationFailure(message, code=Code.INVALID_VALUE, hint=hint)
