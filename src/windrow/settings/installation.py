"""What this installation is called, and where it lies."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings

from windrow.settings.fields import Name


class Installation(BaseSettings):
    """What this installation is called, and where it lies."""

    home: Path = Field(
        Path(".windrow"), description="Where the embedded engines, the objects and the logs of this machine live."
    )
    tenant: Name = Field("local", description="The tenant that commands act for when `--tenant` is not given.")
    project: Name = Field("default", description="The project that commands act in when `--project` is not given.")
    environment: str = Field(
        "dev",
        pattern=r"^[a-z][a-z0-9]{0,15}$",
        description="Which environment this is, as the first part of its namespaces: `dev`, `staging`, `prod`.",
    )
    specs: Path | None = Field(
        None, description="A directory with spec files of your own; those that Windrow comes with when not set."
    )
