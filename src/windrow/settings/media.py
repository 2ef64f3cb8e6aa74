"""Media jobs: who may push events, whose they are, and who is asked about the media."""

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import Name, Words, also_as


class MediaJobs(BaseSettings):
    """Media jobs: who may push events, whose they are, and who is asked about the media."""

    work_topic: Name = also_as(
        "WORK_TOPIC", default="media.work", description="The topic of enriched media jobs, for who works on them next."
    )
    events_topic: Name = also_as(
        "EVENTS_TOPIC", default="media.events", description="The topic that tells of every change of a media job."
    )
    dlq_topic: Name = also_as(
        "DLQ_TOPIC", default="media.dlq", description="The topic for what could not be read as a job, or be enriched."
    )
    events_host: str = Field(
        "127.0.0.1",
        description="Where the metadata worker listens. Beyond this machine only with `PUBSUB_VERIFICATION_AUDIENCE` set.",
    )
    events_port: int = Field(0, ge=0, le=65535, description="Its port; 0 finds a free one and remembers it.")
    event_bytes: int = Field(
        1 << 20, ge=64 << 10, le=64 << 20, description="The largest body of events that it takes, in bytes."
    )
    pubsub_subscriptions: Words = Field(
        (),
        description="Subscriptions of Google Pub/Sub that it pulls events and jobs from, beside what is pushed: `projects/PROJECT/subscriptions/NAME`, several between spaces.",
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
        150,
        ge=1,
        le=10_000,
        description="How often the metadata of a media job are asked for before it counts as failed; 150 times take about a day.",
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
