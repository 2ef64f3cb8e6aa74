"""What an endpoint of `onedrive` says."""

import re
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from windrow.connectors.home_address import HomeAddress
from windrow.connectors.patterns import Excluded, Included

GRAPH = "https://graph.microsoft.com/v1.0"
LOGIN = "https://login.microsoftonline.com"
_DIRECTORY = re.compile(r"[A-Za-z0-9.-]{1,255}", re.ASCII)
# they become parts of addresses, quoted
_ID = re.compile(r"[\w!,.@:/ '#-]{1,1024}")
_LONGEST_PATH = 400

Id = Annotated[str, Field(min_length=1, max_length=1024)]


class SignIn(StrEnum):
    """Whose rights are used."""

    APPLICATION = "application"  # the app's own: client credentials
    USER = "user"  # somebody's who has agreed to it: a refresh token


class OneDriveConfig(BaseModel):
    """Where the drives are, what of them is harvested, and how to sign in. One of me, user, drive and site says where."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: str = Field(
        description="the Entra directory (tenant): its id or a domain; `consumers` for personal drives"
    )
    client_id: Id = Field(description="the application (client) id of the app registration")
    sign_in: SignIn = Field(SignIn.APPLICATION, description="the app's own rights, or those of a user who has agreed")
    me: bool = Field(False, description="the drive of the user whose rights are used")
    user: Id | None = Field(None, description="the drive of this user: a name such as ada@example.org, or an id")
    drive: Id | None = Field(None, description="one drive, by its id")
    site: Id | None = Field(None, description="the libraries of a site: HOST:/sites/NAME, or a site's id")
    libraries: tuple[Id, ...] = Field((), description="only these libraries of the site, by name; all, if not given")
    folder: str | None = Field(None, description="only this folder and what is inside, such as /Projects/2026")
    include: Included = Field(
        (), description="globs of what is listed, below the folder; everything, where there are none"
    )
    exclude: Excluded = Field((), description="globs of what is left out; `!` restores, and the last match decides")
    permissions: bool = Field(False, description="also read who may do what with each shared item: a request for each")
    relist_hours: float = Field(24, ge=0, le=8760, description="list everything anew after so many hours; 0: each run")
    base_url: HomeAddress = Field(GRAPH, description="where Microsoft Graph answers; another one for national clouds")
    login_url: HomeAddress = Field(LOGIN, description="where access is granted; another one for national clouds")
    scope: str = Field(
        "https://graph.microsoft.com/.default", max_length=1000, description="what access is asked for at sign-in"
    )

    @field_validator("directory")
    @classmethod
    def _is_a_directory(cls, directory: str) -> str:
        if not _DIRECTORY.fullmatch(directory):
            raise ValueError("it is neither an id nor a domain")
        return directory

    @field_validator("user", "drive", "site")
    @classmethod
    def _is_an_id(cls, name: str | None) -> str | None:
        if name is not None and (not _ID.fullmatch(name) or ".." in name or "//" in name):
            raise ValueError("it has characters or parts that ids and names do not have")
        return name

    @field_validator("folder")
    @classmethod
    def _is_a_folder(cls, folder: str | None) -> str | None:
        if folder is None:
            return None
        parts = folder.strip("/").split("/")
        if len(folder) > _LONGEST_PATH or any(part in ("", ".", "..") for part in parts) or not folder.isprintable():
            raise ValueError("write it as a path from the top of the drive, such as /Projects/2026")
        return "/" + "/".join(parts)

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if sum((self.me, self.user is not None, self.drive is not None, self.site is not None)) != 1:
            raise ValueError("give one of me, user, drive and site")
        if self.libraries and self.site is None:
            raise ValueError("libraries are those of a site")
        if self.me and self.sign_in is SignIn.APPLICATION:
            raise ValueError("me means nothing to an application: name the user, or sign in as one (sign_in=user)")
        return self

    @property
    def meaning(self) -> dict[str, Any]:
        """All of it that decides which items there are and what they say."""
        others = {"directory", "client_id", "sign_in", "relist_hours", "login_url", "scope"}
        return self.model_dump(mode="json", exclude=others)
