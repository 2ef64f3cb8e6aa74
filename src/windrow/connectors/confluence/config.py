"""What an endpoint of `confluence` says."""

import re
from enum import StrEnum
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

from windrow.connectors.home_address import HomeAddress

# personal spaces have a tilde and an account id
_KEY = re.compile(r"[A-Za-z0-9~._-]{1,255}", re.ASCII)
_EMAIL = re.compile(r"[^\s:]{1,254}")


class Entity(StrEnum):
    """What is harvested, in this order."""

    SPACE = "space"
    PAGE = "page"
    BLOGPOST = "blogpost"
    COMMENT = "comment"
    ATTACHMENT = "attachment"


class Edition(StrEnum):
    """Which of the two products answers: they share the older API, and only the Cloud has the newer one."""

    CLOUD = "cloud"
    DATA_CENTER = "data_center"


class ConfluenceConfig(BaseModel):
    """A site, and what of it is harvested."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: HomeAddress = Field(
        description="where Confluence is, with its context path: https://acme.atlassian.net/wiki; for OAuth "
        "https://api.atlassian.com/ex/confluence/CLOUD-ID/wiki"
    )
    edition: Edition = Field(Edition.CLOUD, description="which product it is")
    email: str | None = Field(
        None, description="whose API token the credential is; without it the credential is an OAuth or personal token"
    )
    spaces: Annotated[tuple[str, ...], Field(max_length=100)] = Field(
        (), description="keys of the spaces that are read; all that the account may see, where there are none"
    )
    entities: tuple[Entity, ...] = Field(tuple(Entity), min_length=1, description="what is harvested")
    time_zone: str | None = Field(
        None,
        description="the time zone of the account, such as Europe/Berlin; makes the window of changes narrower by a day",
    )
    relist_hours: float = Field(
        24.0, ge=0, le=8760, description="everything is listed anew after so many hours, which finds what is gone"
    )

    @field_validator("email")
    @classmethod
    def _is_a_name(cls, email: str | None) -> str | None:
        if email is not None and not _EMAIL.fullmatch(email):
            raise ValueError("it is not an address of a person")
        return email

    @field_validator("spaces")
    @classmethod
    def _are_keys(cls, spaces: tuple[str, ...]) -> tuple[str, ...]:
        for key in spaces:
            if not _KEY.fullmatch(key):
                raise ValueError("a key has letters, digits and ~ . _ - only")
        return tuple(dict.fromkeys(spaces))

    @field_validator("time_zone")
    @classmethod
    def _is_a_zone(cls, name: str | None) -> str | None:
        try:
            return name if name is None or ZoneInfo(name) else None
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("there is no such time zone; it is called as in Europe/Berlin") from None

    @property
    def zone(self) -> ZoneInfo | None:
        return ZoneInfo(self.time_zone) if self.time_zone else None
