"""What came of trying an endpoint, as clients see it."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Finding(BaseModel):
    """One thing that was looked at; the next step where it is not well."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    well: bool
    detail: str
    hint: str | None = None


class Trial(BaseModel):
    """What was found, in order; of the first page, if it was asked for, how many records there are, some items, and how
    many records would be refused."""

    model_config = ConfigDict(from_attributes=True)

    well: bool
    findings: list[Finding]
    records: int | None = None
    refused: int | None = None
    items: list[dict[str, Any]] = []
