"""Why a record was refused."""

from enum import StrEnum

from msgspec import Struct


class Why(StrEnum):
    """The kinds of reasons. The set is closed."""

    SCHEMA = "SCHEMA"  # not what the contract says
    RAW_BLOB = "RAW_BLOB"  # content, where metadata was due
    TOO_LARGE = "TOO_LARGE"
    TOO_DEEP = "TOO_DEEP"
    NOT_STORABLE = "NOT_STORABLE"  # what Postgres or JSON cannot hold
    TRANSFORM = "TRANSFORM"  # the connector could not make an item of it


class Reason(Struct, frozen=True, kw_only=True):
    """One thing that is wrong: what kind, where in the record, and in words."""

    why: Why
    path: str
    message: str
