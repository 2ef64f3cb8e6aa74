"""The links that Graph gives out: `@odata.nextLink` and `@odata.deltaLink`.

They are opaque and hold tokens. We keep what stands behind base_url, and follow nothing that does not begin with it: a
source that could name another origin would be sent our credential there.
"""

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.urls import checked_url, origin_of, shown

# tokens have some hundred characters; what is much longer would not fit a cursor
LONGEST = 8192


def kept(link: str, base_url: str) -> str:
    """The part of a link that goes into a cursor."""
    base, address = checked_url(base_url), checked_url(link)
    before = base.raw_path.rstrip(b"/") + b"/"
    path = address.raw_path
    if origin_of(address) != origin_of(base) or not path.startswith(before):
        raise ValidationFailure(
            f"the source leads to {shown(link)}, which is not below base_url",
            code=Code.REFUSED,
            hint="set base_url to the address that the source uses for itself; nothing was sent there",
        )
    rest = path[len(before) - 1 :].decode("ascii")
    if len(rest) > LONGEST:
        raise ValidationFailure(
            f"a link of the source has {len(rest)} characters", code=Code.TOO_LARGE, hint=f"{LONGEST} are the most"
        )
    return rest


def whole(rest: str, base_url: str) -> str:
    """A link as it was, from what was kept of it."""
    # a cursor may have been written by an operator: `//elsewhere` and `@elsewhere` must stay below base_url too
    link = f"{base_url}{rest}" if rest.startswith("/") else f"{base_url}/{rest}"
    kept(link, base_url)
    return link
