"""What lies outside: objects, secrets, what endpoints may reach, and where messages go."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from windrow.settings.fields import Words


class Reaching(BaseSettings):
    """What lies outside: objects, secrets, what endpoints may reach, and where messages go."""

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
