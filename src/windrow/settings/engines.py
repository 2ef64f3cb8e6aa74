"""Postgres and Temporal: embedded, or somebody else's."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings


class Engines(BaseSettings):
    """Postgres and Temporal: embedded, or somebody else's."""

    database_url: SecretStr | None = Field(
        None, description="A Postgres of your own (15 or later). When set, no embedded one starts."
    )
    database_owner_url: SecretStr | None = Field(
        None, description="The login that migrates, where it is not the one of `WINDROW_DATABASE_URL`."
    )
    database_pool_size: int = Field(8, ge=1, le=500, description="The most connections that one process opens.")
    postgres_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="The port of the embedded Postgres; a free one is found and remembered when not set.",
    )

    temporal_address: str | None = Field(
        None, description="A Temporal server of your own, `host:port`. When set, no embedded one starts."
    )
    temporal_namespace: str = Field("default", description="The Temporal namespace for the checks of `windrow doctor`.")
    namespace_separator: str = Field(
        ".",
        pattern=r"^[._-]$",
        description="What stands between the parts of a namespace's name, `.`, `-` or `_`: some hosted Temporals refuse dots.",
    )
    temporal_tls: bool | None = Field(
        None,
        description="Whether the Temporal of `WINDROW_TEMPORAL_ADDRESS` is reached by TLS; it is when a certificate or an API key is set.",
    )
    temporal_ca: Path | None = Field(
        None, description="A file in PEM: who signs that server's certificate; the system's authorities when not set."
    )
    temporal_server_name: str | None = Field(
        None, description="The name in that server's certificate, where it is not the host of its address."
    )
    temporal_cert: Path | None = Field(
        None, description="A file in PEM: the certificate that we show to that server (mTLS)."
    )
    temporal_key: str | None = Field(
        None, description="The `credential_ref` of that certificate's private key, such as `file:/PATH`."
    )
    temporal_api_key_ref: str | None = Field(
        None, description="The `credential_ref` of the API key that we show to that server."
    )
    payload_key_ref: str | None = Field(
        None,
        description="The `credential_ref` of the keys that Temporal's histories are sealed with: `ID:KEY`, the current one first. Not sealed when not set.",
    )
    payload_unsealed: bool = Field(
        False,
        description="Take payloads that are not sealed although keys are set: for as long as workflows run that began without one.",
    )
    temporal_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="The port of the embedded Temporal; a free one is found and remembered when not set.",
    )
    temporal_ui_port: int | None = Field(
        None, ge=1, le=65535, description="The port of the embedded Temporal's own web pages; likewise."
    )
    engine_user: str = Field(
        "windrow", description="The system user that runs the embedded Postgres when Windrow is started by root."
    )
