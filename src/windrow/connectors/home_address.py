"""The address of a source's API: where an endpoint's credential goes, so nobody on the way may read it."""

from typing import Annotated

from pydantic import AfterValidator

from windrow.contracts.errors import ValidationFailure
from windrow.http.addresses import why_not_public
from windrow.http.urls import checked_url, literal


def unprotected(url: str) -> bool:
    """Whether what is sent there could be read on its way: plain http to anywhere but a private address."""
    parsed = checked_url(url)
    address = literal(parsed.host)
    at_home = parsed.host == "localhost" or (address is not None and why_not_public(address) is not None)
    return parsed.scheme == "http" and not at_home


def _checked(url: str) -> str:
    """The address without a slash at its end; none of it is repeated where it is refused."""
    try:
        parsed = checked_url(url.rstrip("/"))
    except ValidationFailure:
        raise ValueError(
            "it is no address such as https://api.example.org; who we are is named by credential_ref"
        ) from None
    if parsed.query or "#" in url:
        raise ValueError("it has a query or a fragment: give the address of the API alone")
    if unprotected(str(parsed)):
        raise ValueError("it is not encrypted: use https, plain http is for private addresses only")
    return str(parsed).rstrip("/")


HomeAddress = Annotated[str, AfterValidator(_checked)]
