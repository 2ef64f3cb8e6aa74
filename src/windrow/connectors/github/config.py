"""What an endpoint of `github` says."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from windrow.connectors.home_address import HomeAddress
from windrow.connectors.patterns import Included

PUBLIC = "https://api.github.com"
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?", re.ASCII)
_REPOSITORY = re.compile(r"[A-Za-z0-9._*?-]{1,100}", re.ASCII)

Globs = Annotated[tuple[str, ...], Field(max_length=1000)]


class Entity(StrEnum):
    """What is harvested. Repositories always are: all else belongs to one."""

    REPOSITORY = "repository"
    LABEL = "label"
    MILESTONE = "milestone"
    ISSUE = "issue"
    PULL_REQUEST = "pull_request"
    RELEASE = "release"
    COMMIT = "commit"
    FILE = "file"


class GithubConfig(BaseModel):
    """An account, and what of its repositories is harvested."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    owner: str = Field(description="the user or organisation whose repositories are harvested")
    base_url: HomeAddress = Field(PUBLIC, description="where the API is; for GitHub Enterprise: https://HOST/api/v3")
    repositories: Globs = Field((), description="globs of the names of the repositories; all, where there are none")
    exclude: Globs = Field((), description="globs of the names of repositories that are left out")
    forks: bool = Field(True, description="harvest forks too")
    archived: bool = Field(True, description="harvest archived repositories too")
    entities: tuple[Entity, ...] = Field(tuple(Entity), min_length=1, description="what is harvested")
    files: Included = Field(
        ("/README*", "/docs/", "/.github/README*"), description="globs of the files that are listed: README and docs"
    )
    commits_since: date | None = Field(None, description="only commits from this day on (UTC)")
    app_id: str | None = Field(
        None, max_length=100, description="of a GitHub App (or its client id); the credential is then its private key"
    )
    installation_id: int | None = Field(None, ge=1, description="the installation of that App")
    relist_hours: int = Field(
        24, ge=0, le=24 * 366, description="how often everything is listed anew, to learn what is gone; 0: each time"
    )
    webhook_secret_ref: str | None = Field(
        None, max_length=1024, description="the credential_ref of the secret that the webhooks are signed with"
    )
    requests_per_minute: int = Field(900, ge=1, le=1_000_000, description="how fast the API is asked at the most")

    @field_validator("owner")
    @classmethod
    def _is_an_account(cls, owner: str) -> str:
        if not _LOGIN.fullmatch(owner):
            raise ValueError("it is not the name of a user or an organisation")
        return owner

    @field_validator("repositories", "exclude")
    @classmethod
    def _are_names(cls, globs: tuple[str, ...]) -> tuple[str, ...]:
        for glob in globs:
            if not _REPOSITORY.fullmatch(glob):
                raise ValueError("a glob is the name of a repository, without its owner, with * and ?")
        return globs

    @model_validator(mode="after")
    def _is_a_whole_app(self) -> Self:
        if (self.app_id is None) != (self.installation_id is None):
            raise ValueError("a GitHub App needs both app_id and installation_id")
        return self
