"""Every setting: typed, frozen, read once at the edge. `WINDROW_<NAME>`, and the bare name where a seed gives one (D10).

The reference page docs/reference/settings.md is drawn from this file.
"""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.telemetry.declare import Level
from windrow.telemetry.log import Format

PREFIX = "WINDROW_"


def _listed(value: Any) -> Any:
    return tuple(part for part in value.replace(",", " ").split() if part) if isinstance(value, str) else value


# words between spaces or commas, not JSON
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]


def also_as(name: str, bare: str | None = None, **rest: Any) -> Any:
    """A setting that a seed names without our prefix; the prefixed name wins where both are set."""
    return Field(validation_alias=AliasChoices(f"{PREFIX}{name}", bare or name), **rest)


class Settings(BaseSettings):
    """What can be set from outside."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    home: Path = Field(
        Path(".windrow"), description="Where the embedded engines, the objects and the logs of this machine live."
    )
    tenant: str = Field("local", description="The tenant that commands act for when `--tenant` is not given.")
    project: str = Field("default", description="The project that commands act in when `--project` is not given.")
    environment: str = Field(
        "dev",
        pattern=r"^[a-z][a-z0-9]{0,15}$",
        description="Which environment this is, as the first part of its namespaces: `dev`, `staging`, `prod`.",
    )
    specs: Path | None = Field(
        None, description="A directory with spec files of your own; those that Windrow comes with when not set."
    )

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

    log_format: Format = Field(
        Format.AUTO, description="`json`, `pretty`, or `auto`: pretty at a terminal, JSON elsewhere."
    )
    log_level: Level | None = Field(
        None,
        description="The lowest level that is written: INFO for processes that stay, ERROR for commands, when not set.",
    )
    log_payload_hashes: bool = Field(
        False,
        description="Say at DEBUG the hash of what each activity was given and returned, never what it was.",
    )
    debug: bool = Field(False, description="Show the traceback when a command fails unexpectedly.")
    metrics_port: int = Field(0, ge=0, le=65535, description="The port of the Prometheus page; 0 finds a free one.")
    otlp_endpoint: str | None = also_as(
        "OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        default=None,
        description="Where metrics and spans are sent by OTLP over HTTP; nowhere when not set.",
    )

    http_host: str = Field(
        "127.0.0.1", description="Where the HTTP application listens: an address of this machine alone."
    )
    http_port: int = Field(
        0, ge=0, le=65535, description="The port of the HTTP application; 0 finds a free one and remembers it."
    )
    http_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$",
        description="How clients reach the HTTP application, where that is not directly: the address of your proxy.",
    )
    blob_bytes: int = Field(
        1 << 30, ge=1, le=5 << 30, description="The largest content that is taken for an item, in bytes."
    )

    object_store: str | None = Field(
        None, description="`file:PATH` or `s3://BUCKET/PREFIX`; below the home directory when not set."
    )
    object_store_endpoint: str | None = Field(None, description="The endpoint of an S3 that is not Amazon's.")
    credentials_allowed: Words = Field(
        ("env:WINDROW_SECRET_*",),
        description="Which `credential_ref`s endpoints may name: patterns, `{tenant}` stands for the tenant; `TENANT=PATTERN` is for one tenant alone.",
    )
    paths_allowed: Words = Field(
        ("local=/",),
        description="Below which directories of the machine endpoints may read: `TENANT=DIRECTORY` for one tenant, `DIRECTORY` for all, `{tenant}` stands for the tenant. The tenant `local` may read what the process may, others nothing until it is said here.",
    )
    taps_allowed: Words = Field(
        (),
        description="Which Singer taps endpoints may run: `NAME=EXECUTABLE` for all tenants, `TENANT:NAME=EXECUTABLE` for one. None until it is said here: a tap reads what the process may read.",
    )
    tap_memory_bytes: int = Field(
        2 << 30, ge=64 << 20, description="How much memory each process of a tap may have, in bytes of address space."
    )
    addresses_allowed: Words = Field(
        (),
        description="Loopback, private or link-local networks and `host:port`s that outgoing connections may reach all the same.",
    )

    aws_endpoint: str | None = Field(None, description="The endpoint of a Secrets Manager that is not Amazon's.")
    gcp_endpoint: str | None = Field(
        None, description="The endpoint of a Secret Manager that is not Google's global one, such as a regional one."
    )
    gcp_project: str | None = Field(
        None, description="Whose secrets `gcp-sm:NAME` means; the project of the process's own identity when not set."
    )
    vault_address: str | None = Field(
        None,
        pattern=r"^https?://[^/?#@\s]+/?$",
        description="Where the HashiCorp Vault of `vault:` credentials answers.",
    )
    vault_namespace: str | None = Field(None, description="Its namespace, where it has several (Vault Enterprise).")
    vault_ca: Path | None = Field(
        None, description="A file in PEM: who signs its certificate; the usual authorities when not set."
    )
    vault_token_ref: str | None = Field(
        None, description="The `credential_ref` (`env:` or `file:`) of the token that we show to it."
    )
    vault_role_id: str | None = Field(None, description="The AppRole that we log in to it with, in place of a token.")
    vault_secret_id_ref: str | None = Field(
        None, description="The `credential_ref` (`env:` or `file:`) of that role's secret id."
    )
    vault_role_mount: str = Field("approle", description="Where its AppRole logins are mounted.")
    webhooks: Words = Field(
        (), description="The sinks that subscriptions may name: `NAME=URL`, several between spaces."
    )
    webhook_secret: SecretStr | None = Field(
        None, description="What deliveries to webhooks are signed with; unsigned when not set."
    )
    pubsub_topics: Words = Field(
        (),
        description="Topics that are delivered to Google Pub/Sub, in all tenants: `TOPIC=projects/PROJECT/topics/NAME`, several between spaces.",
    )
    pubsub_endpoint: str | None = Field(
        None,
        description="Where Pub/Sub answers, `HOST:PORT`: a regional endpoint, or an emulator (`http://…`, or on this machine), which is shown no credentials. Google's global one when not set.",
    )
    pubsub_attempts: int = Field(
        100,
        ge=1,
        le=10_000,
        description="How often a message is offered to Pub/Sub before it is a dead letter; 100 times take a good two hours.",
    )
    notify: Words = Field(
        (),
        description="Where notices go beside the log: `CHANNEL=webhook:CREDENTIAL_REF`, several between spaces, for `security`, `ops`, `pager`, `maintainers`.",
    )

    work_topic: str = also_as(
        "WORK_TOPIC", default="media.work", description="The topic of enriched media jobs, for who works on them next."
    )
    events_topic: str = also_as(
        "EVENTS_TOPIC", default="media.events", description="The topic that tells of every change of a media job."
    )
    dlq_topic: str = also_as(
        "DLQ_TOPIC", default="media.dlq", description="The topic for what could not be read as a job, or be enriched."
    )
    events_host: str = Field(
        "127.0.0.1",
        description="Where the metadata worker listens. Beyond this machine only with `PUBSUB_VERIFICATION_AUDIENCE` set.",
    )
    events_port: int = Field(0, ge=0, le=65535, description="Its port; 0 finds a free one.")
    event_bytes: int = Field(
        1 << 20, ge=64 << 10, le=64 << 20, description="The largest body of events that it takes, in bytes."
    )
    pubsub_verification_audience: str | None = also_as(
        "PUBSUB_VERIFICATION_AUDIENCE",
        default=None,
        description="The audience that tokens of Eventarc and Pub/Sub are made out to. When set, nothing is taken without one.",
    )
    pubsub_service_accounts: Words = Field(
        (),
        description="The e-mails of the service accounts that may push, several between spaces: the audience alone keeps nobody out, since anybody can have Google make a token out to it.",
    )
    pubsub_token_issuer: str = Field("https://accounts.google.com", description="Who signs those tokens.")
    pubsub_token_keys: str = Field(
        "https://www.googleapis.com/oauth2/v3/certs", description="Where that issuer publishes its keys."
    )
    media_places: Words = Field(
        (),
        description="Whose a bucket or a subscription is: `gs://BUCKET/PREFIX=TENANT`, `subscription:NAME=TENANT/PROJECT`, several between spaces. The store of `WINDROW_OBJECT_STORE` has a folder for each tenant.",
    )
    media_attempts: int = Field(
        8, ge=1, le=100, description="How often the metadata of a media job are asked for before it counts as failed."
    )
    media_timeout_sec: float = Field(
        60, gt=0, le=540, description="How long one attempt at a media job's metadata may take."
    )
    media_retention_days: int = Field(30, ge=1, description="How long media jobs are kept after they ended.")
    youtube_api_key_ref: str | None = Field(
        None,
        description="The `credential_ref` of the key for YouTube's Data API; without one, jobs about its videos wait.",
    )
    youtube_url: str = Field(
        "https://youtube.googleapis.com/youtube/v3",
        pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$",
        description="Where YouTube's Data API answers.",
    )

    tenant_runs: int = Field(4, ge=1, description="How many slices of a tenant's runs may be at work at once.")
    endpoint_previews: int = Field(2, ge=1, description="How many previews of an endpoint may be at work at once.")
    transition_days: int = Field(90, ge=1, description="How long the steps of endpoints' lifecycles are kept.")
    kv_ledger_days: int = Field(90, ge=1, description="How long a replayed KV request is recognised.")
    outbox_retention_hours: int = Field(48, ge=1, description="How long persisted batches are kept in the outbox.")
    message_retention_hours: int = Field(48, ge=1, description="How long delivered messages are kept.")
    shutdown_timeout_sec: float = also_as(
        "SHUTDOWN_TIMEOUT_SEC",
        default=30,
        gt=0,
        description="How long a process that is asked to end waits for what it has in hand.",
    )

    max_concurrency: int | None = also_as(
        "MAX_CONCURRENCY",
        default=None,
        ge=1,
        le=1000,
        description="How many jobs a worker runs at once; as many as there are CPUs when not set.",
    )
    max_attempts: int = also_as(
        "MAX_ATTEMPTS",
        default=3,
        ge=1,
        le=100,
        description="How often a job is tried before it counts as failed.",
    )
    heartbeat_interval_sec: float = also_as(
        "HEARTBEAT_INTERVAL_SEC",
        default=10,
        gt=0,
        description="How often a worker says that the jobs it has in hand are alive.",
    )
    lease_timeout_sec: float | None = also_as(
        "LEASE_TIMEOUT_SEC",
        default=None,
        gt=0,
        description="After how long without a heartbeat a job is given to another worker; three intervals when not set.",
    )
    high_watermark: int = also_as(
        "HIGH_WATERMARK",
        default=1000,
        ge=1,
        description="How many waiting jobs are many: above that, a worker on a busy machine pauses.",
    )
    load_threshold: float = also_as(
        "LOAD_THRESHOLD",
        default=0.9,
        gt=0,
        description="What makes a machine busy: the load of the last minute for each CPU.",
    )
    pause_interval_sec: float = also_as(
        "PAUSE_INTERVAL_SEC", default=5, gt=0, description="How long such a pause lasts."
    )
    scratch: Path | None = Field(
        None, description="Where jobs keep what they work on; below the home directory when not set."
    )
    keep_scratch_on_success: bool = also_as(
        "KEEP_SCRATCH_ON_SUCCESS",
        default=False,
        description="Keep what a job worked on even when it is done; what a failed one leaves is always kept.",
    )
    job_retention_days: int = Field(7, ge=1, description="How long jobs are kept after they ended.")
    clip_source_bytes: int = Field(8 << 30, ge=1, description="The largest source that a clip is cut from, in bytes.")

    @field_validator("tenant", "project", "work_topic", "events_topic", "dlq_topic")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        try:
            return checked_name("name", value)
        except ValidationFailure as error:
            raise ValueError(f"{error.message}; {error.hint}") from None

    @property
    def owner_url(self) -> SecretStr | None:
        """The login that migrates."""
        return self.database_owner_url or self.database_url


def variables() -> dict[str, tuple[tuple[str, ...], FieldInfo]]:
    """Each setting with the variables it is read from."""
    return {name: (_names(name, field), field) for name, field in Settings.model_fields.items()}


def _names(name: str, field: FieldInfo) -> tuple[str, ...]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"{PREFIX}{name.upper()}",)


def read() -> Settings:
    """The settings of this process, or one error that names every variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(f"{_variable(fault['loc'])}: {fault['msg']}" for fault in error.errors())
        raise Fatal(
            f"settings are wrong: {wrong}", code=Code.CONFIGURATION, hint="see docs/reference/settings.md"
        ) from None


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0])
    return name if name.isupper() else f"{PREFIX}{name.upper()}"


def unknown(environment: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """Variables that look like settings and are none, each with the setting that was probably meant."""
    known = {name for names, _ in variables().values() for name in names}
    # WINDROW_SECRET_* hold credentials, WINDROW_TEST_* belong to the tests
    strays = [
        name
        for name in environment
        if name.startswith(PREFIX) and not name.startswith((f"{PREFIX}SECRET_", f"{PREFIX}TEST_"))
    ]
    return {
        name: next(iter(difflib.get_close_matches(name, known, 1, cutoff=0.8)), None)
        for name in strays
        if name not in known
    }
