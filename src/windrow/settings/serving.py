"""The HTTP application."""

from pydantic import Field
from pydantic_settings import BaseSettings


class Serving(BaseSettings):
    """The HTTP application."""

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
