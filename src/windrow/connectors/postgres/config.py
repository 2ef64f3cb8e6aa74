"""What an endpoint of `postgres` says."""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_PREVIEWED = 20
_MOST_PATTERNS = 200
# a comma would make two hosts of it, a slash the directory of a unix socket
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}", re.ASCII)
_PEM = re.compile(r"\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+", re.ASCII)

Glob = Annotated[str, Field(min_length=1, max_length=200)]
Globs = Annotated[tuple[Glob, ...], Field(max_length=_MOST_PATTERNS)]
Named = Annotated[str, Field(min_length=1, max_length=255)]


class Tls(StrEnum):
    """How the connection is kept from others."""

    VERIFY = "verify"  # encrypted, and the server proves its name
    ENCRYPT = "encrypt"  # encrypted, to whoever answers
    NONE = "none"


class PostgresConfig(BaseModel):
    """A server, who one is to it, and what of it is harvested."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(description="the server's name or address; a private one must be allowed by the operator")
    port: int = Field(5432, ge=1, le=65535, description="the server's port")
    user: Named = Field(description="the login; its password is the credential")
    database: Named = Field("postgres", description="the database that is entered first, to find the others")
    databases: Globs = Field(
        (), description="globs of the databases that are harvested; all but templates, where there are none"
    )
    schemas: Globs = Field((), description="globs of the schemas that are harvested; all, where there are none")
    exclude: Globs = Field((), description="globs of what is left out: a whole schema, or SCHEMA.NAME")
    partitions: bool = Field(True, description="also list the partitions of partitioned tables")
    relist_hours: int = Field(
        24, ge=0, le=24 * 365, description="after so many hours everything is listed again; 0 for each run"
    )
    tls: Tls = Field(Tls.VERIFY, description="verify the server's name, only encrypt, or none of both")
    ca: str | None = Field(
        None,
        max_length=64 * 1024,
        description="certificates of the server's own authority, in PEM; the system's if not given",
    )
    preview_rows: int = Field(
        0, ge=0, le=MOST_PREVIEWED, description="so many rows of each table are shown in previews; harvested are none"
    )

    @field_validator("host")
    @classmethod
    def _is_a_host(cls, host: str) -> str:
        if not _HOST.fullmatch(host):
            raise ValueError("it is not a host name or an address")
        return host.lower().removesuffix(".")

    @field_validator("user", "database")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if "\0" in name:
            raise ValueError("no name holds a NUL character")
        return name

    @field_validator("ca")
    @classmethod
    def _is_pem(cls, ca: str | None) -> str | None:
        if ca is not None and not _PEM.fullmatch(ca):
            raise ValueError("it is not a certificate in PEM")
        return ca
