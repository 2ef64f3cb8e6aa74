"""What an endpoint of `files` says."""

from enum import StrEnum
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, field_validator

from windrow.connectors.patterns import Excluded, Included

MIB = 1024 * 1024
# a directory on the way is an open descriptor; what is deeper is told, and makes the listing no whole one
DEEPEST = 128


class Hash(StrEnum):
    """How much of a file is read to know its content."""

    NONE = "none"
    FAST = "fast"
    FULL = "full"


class FilesConfig(BaseModel):
    """A directory, and what of it is harvested."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(description="the directory, as an absolute path; the operator must allow it")
    include: Included = Field((), description="globs of what is listed; everything, where there are none")
    exclude: Excluded = Field((), description="globs of what is left out; `!` restores, and the last match decides")
    hidden: bool = Field(False, description="also list names that begin with a dot, and what is inside them")
    follow_links: bool = Field(False, description="follow symbolic links, as far as the operator allows")
    max_depth: int | None = Field(None, ge=1, le=DEEPEST, description="how many levels are listed; all, if not given")
    hash: Hash = Field(Hash.FULL, description="read no content, its beginning and end, or all of it")
    hash_limit: int | None = Field(
        256 * MIB, ge=0, description="larger files, in bytes, are known by size and time alone; null for no limit"
    )

    @field_validator("path")
    @classmethod
    def _is_absolute(cls, path: str) -> str:
        if not PurePosixPath(path).is_absolute() or "\0" in path:
            raise ValueError("it is not an absolute path: every worker has to find the same directory by it")
        return path
