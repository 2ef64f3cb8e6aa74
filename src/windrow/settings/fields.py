"""How a setting is written: words between spaces, names, and the bare name where a seed gives one (D10)."""

from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field
from pydantic_settings import NoDecode

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import checked_name

PREFIX = "WINDROW_"


def _listed(value: Any) -> Any:
    return tuple(part for part in value.replace(",", " ").split() if part) if isinstance(value, str) else value


def _is_a_name(value: str) -> str:
    try:
        return checked_name("name", value)
    except ValidationFailure as error:
        raise ValueError(f"{error.message}; {error.hint}") from None


# words between spaces or commas, not JSON
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Name = Annotated[str, AfterValidator(_is_a_name)]


def also_as(name: str, bare: str | None = None, **rest: Any) -> Any:
    """A setting that a seed names without our prefix; the prefixed name wins where both are set."""
    return Field(validation_alias=AliasChoices(f"{PREFIX}{name}", bare or name), **rest)
