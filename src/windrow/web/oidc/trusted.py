"""Addresses of an issuer."""

from windrow.contracts.errors import Fatal
from windrow.http.urls import checked_url, literal, shown


def trusted_url(url: str, what: str) -> str:
    """The address, if nobody on the way could put answers of their own in place of the issuer's."""
    parsed = checked_url(url)
    address = literal(parsed.host)
    if parsed.scheme != "https" and not (address and address.is_loopback):
        raise Fatal(f"the address of {what}, {shown(url)}, is not https", hint="begin it with https://")
    return url
