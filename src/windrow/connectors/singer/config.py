"""What an endpoint of `singer` says."""

import re
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

_TAP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_ENTITY = r"^[a-z][a-z0-9_.:-]{0,63}$"

ALL = "*"

FieldName = Annotated[str, Field(min_length=1, max_length=200)]


class Selection(StrEnum):
    """How the tap is told which streams are wanted."""

    CATALOG = "catalog"
    PROPERTIES = "properties"  # what `--catalog` was called in the first taps
    NONE = "none"  # a tap that cannot be asked what it has, and gives everything


class Method(StrEnum):
    """How much of a stream the tap gives."""

    FULL_TABLE = "FULL_TABLE"
    INCREMENTAL = "INCREMENTAL"
    LOG_BASED = "LOG_BASED"


class StreamRules(BaseModel):
    """How the records of a stream become items; what is not said is guessed from well-known names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity_type: str | None = Field(None, pattern=_ENTITY)
    id: tuple[FieldName, ...] | None = Field(None, min_length=1)
    name: FieldName | None = None
    url: FieldName | None = None
    created_at: FieldName | None = None
    updated_at: FieldName | None = None
    # fields that are harvested; all of them, where it is not said
    fields: tuple[FieldName, ...] | None = None
    method: Method | None = None
    replication_key: FieldName | None = None


class SingerConfig(BaseModel):
    """A tap, its own configuration, and what of it is harvested."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tap: str = Field(description="the name of a tap on the operator's list (WINDROW_TAPS_ALLOWED)")
    tap_config: dict[str, Any] = Field({}, description="the tap's own configuration, without secrets")
    fill: tuple[str, ...] = Field(
        (),
        max_length=100,
        description="where in tap_config the credential goes: `PATH`, `PATH:FIELD` for one field of a credential that is a JSON object, `*` to lay all of that object over it",
    )
    streams: tuple[FieldName, ...] = Field((), max_length=1000, description="names or globs of streams; all, if none")
    selection: Selection = Field(Selection.CATALOG, description="how the tap is told which streams are wanted")
    rules: dict[str, StreamRules] = Field(
        {}, description="by stream, or `*` for all: entity_type, id, name, url, created_at, updated_at, fields, method"
    )
    ignore: tuple[FieldName, ...] = Field(
        (), max_length=1000, description="fields of records that are left out, such as those that differ at each run"
    )
    relist_hours: int | None = Field(
        None,
        ge=0,
        description="how often the tap is run without its state, to find what is gone; only where such a run gives all there is",
    )

    @field_validator("tap")
    @classmethod
    def _is_a_name(cls, tap: str) -> str:
        if not _TAP.fullmatch(tap):
            raise ValueError("it is the name of a tap on the operator's list, not a path")
        return tap

    @field_validator("fill")
    @classmethod
    def _names_places(cls, fill: tuple[str, ...]) -> tuple[str, ...]:
        for entry in fill:
            path, _, _ = entry.partition(":")
            if entry != ALL and not all(path.split(".")):
                raise ValueError("write PATH or PATH:FIELD, such as api_key or auth.password:password")
        return fill

    def wants(self, *names: str) -> bool:
        """Whether a stream of these names is one that is harvested."""
        return not self.streams or any(fnmatchcase(name, glob) for name in names for glob in self.streams)

    def rules_of(self, stream: str) -> StreamRules:
        """What is said about a stream; where it says nothing, what is said about all of them."""
        own, of_all = self.rules.get(stream), self.rules.get(ALL)
        if own is None or of_all is None:
            return own or of_all or StreamRules()
        return of_all.model_copy(update=own.model_dump(exclude_unset=True))
