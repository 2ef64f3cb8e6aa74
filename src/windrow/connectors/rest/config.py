"""What an endpoint of `rest` says."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from windrow.connectors.rest.agreement import disagreements
from windrow.connectors.rest.definition import AuthType, Definition
from windrow.connectors.rest.parts import Name, Short, Url, unprotected
from windrow.specs.finding import dotted


class RestConfig(BaseModel):
    """An API by its definition: here, or in a file. Either `definition` or `file` is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    definition: Definition | None = Field(None, description="the API, as docs/how-to/harvest-rest.md says")
    file: str | None = Field(None, description="a file with the definition, absolute; the operator must allow it")
    base_url: Url | None = Field(None, description="another address than the definition's: a server of your own")
    values: dict[Name, Short] = Field({}, max_length=50, description="what the definition asks for as its `values`")

    @field_validator("file")
    @classmethod
    def _is_absolute(cls, file: str | None) -> str | None:
        if file is not None and (not PurePosixPath(file).is_absolute() or "\0" in file):
            raise ValueError("it is not an absolute path: every worker has to find the same file by it")
        return file

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if (self.definition is None) == (self.file is None):
            raise ValueError("give one of definition and file")
        if self.definition is not None:
            wrong = [f"{dotted(place)} {reason}" for place, reason in disagreements(self.definition)]
            if wrong := [*wrong, *unsuited(self, self.definition)]:
                raise ValueError("; ".join(wrong))
        return self


def unsuited(config: RestConfig, definition: Definition) -> Iterator[str]:
    """What speaks against this definition for this endpoint."""
    if missing := definition.values.keys() - config.values.keys():
        yield f"the definition asks for values: {', '.join(sorted(missing))}"
    if strange := config.values.keys() - definition.values.keys():
        yield f"the definition knows no values {', '.join(sorted(strange))}"
    if config.base_url and definition.auth.type is not AuthType.NONE and unprotected(config.base_url):
        yield "base_url is not encrypted: a credential goes to https only, or to a private address"
