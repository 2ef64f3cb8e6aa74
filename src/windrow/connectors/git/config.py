"""What an endpoint of `git` says."""

import re
from datetime import date
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from windrow.connectors.patterns import Excluded, Included

# the rules of git check-ref-format; a leading `-` could pass for an option
_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|/\.|\.lock(?:/|$)|^@$")
_NAME = re.compile(r"[A-Za-z0-9._@+-]{1,64}", re.ASCII)


class Entity(StrEnum):
    """What is harvested, in this order."""

    FILE = "file"
    COMMIT = "commit"
    AUTHOR = "author"
    BRANCH = "branch"
    TAG = "tag"


class GitConfig(BaseModel):
    """A repository, and what of it is harvested. Either `path` or `url` says where it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str | None = Field(None, description="a repository on this machine, absolute; the operator must allow it")
    url: str | None = Field(None, description="a repository elsewhere: https://… (or file:///…, which is a path)")
    branch: str | None = Field(None, description="whose files and commits; the one that HEAD names, if not given")
    entities: tuple[Entity, ...] = Field(tuple(Entity), min_length=1, description="what is harvested")
    include: Included = Field((), description="globs of the files that are listed; all, where there are none")
    exclude: Excluded = Field(
        (), description="globs of the files that are left out; `!` restores, the last match decides"
    )
    max_commits: int | None = Field(None, ge=1, description="only so many commits, the newest ones; all, if not given")
    since: date | None = Field(None, description="only commits from this day on (UTC)")
    file_history: bool = Field(
        True, description="tell for each file which commit changed it last; reads the whole history once"
    )
    username: str = Field("git", description="the user name that goes with the credential; most forges take any")

    @field_validator("path")
    @classmethod
    def _is_absolute(cls, path: str | None) -> str | None:
        if path is not None and (not PurePosixPath(path).is_absolute() or "\0" in path):
            raise ValueError("it is not an absolute path: every worker has to find the same repository by it")
        return path

    @field_validator("url")
    @classmethod
    def _is_reachable(cls, url: str | None) -> str | None:
        if url is not None:
            _check_url(url)
        return url

    @field_validator("branch")
    @classmethod
    def _is_a_branch(cls, branch: str | None) -> str | None:
        if branch is None:
            return None
        name = branch.removeprefix("refs/heads/")
        if not name or len(name) > 250 or _NO_BRANCH.search(name):
            raise ValueError("it is not the name of a branch")
        return name

    @field_validator("username")
    @classmethod
    def _is_plain(cls, username: str) -> str:
        if not _NAME.fullmatch(username):
            raise ValueError("it has other characters than letters, digits and . _ @ + -")
        return username

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("give one of path and url")
        return self

    @property
    def local_path(self) -> str | None:
        """Where the repository is on this machine; None for one that has to be fetched."""
        if self.path is not None:
            return self.path
        assert self.url is not None
        return urlsplit(self.url).path if self.url.startswith("file:") else None


def _check_url(url: str) -> None:
    """Only what git reaches without running anything of the author's; none of the value is repeated."""
    parts = urlsplit(url)
    if any(char.isspace() or not char.isprintable() for char in url):
        raise ValueError("it has a character that addresses do not have")
    if parts.scheme == "file":
        if parts.netloc or not parts.path.startswith("/") or parts.query or parts.fragment or "%" in parts.path:
            raise ValueError("write it as file:///absolute/path, without escapes")
        return
    if parts.scheme not in ("https", "http"):
        raise ValueError("only https:// (and file:///) is read; for ssh, use the https address with a token instead")
    if parts.username is not None or parts.password is not None:
        raise ValueError("it carries a user name or password: name a credential_ref instead")
    if not parts.hostname or parts.query or parts.fragment:
        raise ValueError("it is not the address of a repository, such as https://git.example/team/project.git")
