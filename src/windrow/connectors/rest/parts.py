"""The small parts that definitions are made of: names, addresses, headers, statuses."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from windrow.connectors import home_address
from windrow.contracts.errors import ValidationFailure
from windrow.http.headers import written
from windrow.http.urls import checked_url

NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}", re.ASCII)


def _is_name(text: str) -> str:
    if not NAME.fullmatch(text):
        raise ValueError("a name has small letters, digits, - and _, and begins with a letter")
    return text


def _is_address(url: str) -> str:
    try:
        parsed = checked_url(url)
    except ValidationFailure as refused:
        raise ValueError(f"{refused.message}; {refused.hint}") from None
    if parsed.query:
        raise ValueError("it has a query: parameters belong to `params`")
    return url


def _is_address_or_path(url: str) -> str:
    if "://" in url:
        return _is_address(url)
    if not url or any(char in url for char in "?#\\") or ".." in url.split("/"):
        raise ValueError("it is neither an address nor a path below base_url")
    return url


def _is_header(name: str) -> str:
    try:
        written({name: ""})
    except ValidationFailure as refused:
        raise ValueError(refused.message) from None
    return name


def _is_no_refusal(status: int) -> int:
    if status == 401:
        raise ValueError("401 says that the credential is not accepted: that is never passed over")
    return status


Status = Annotated[int, Field(ge=400, le=599), AfterValidator(_is_no_refusal)]
Name = Annotated[str, AfterValidator(_is_name)]
Url = Annotated[str, Field(max_length=2048), AfterValidator(_is_address)]
TokenUrl = Annotated[str, Field(max_length=2048), AfterValidator(_is_address_or_path)]
Header = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_is_header)]
Parameter = Annotated[str, Field(min_length=1, max_length=200)]
Short = Annotated[str, Field(max_length=500)]


class Part(BaseModel):
    """A part of a definition: nothing unknown is in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def unprotected(url: str) -> bool:
    """Whether a credential sent to this address could be read on its way; what is below base_url goes where that goes."""
    return "://" in url and home_address.unprotected(url)
