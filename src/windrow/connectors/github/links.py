"""The links that a list gives to its next page: kept without their origin, and made smaller when a page is too much. Pure."""

import httpx2

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.urls import checked_url, origin_of, shown

_LONGEST = 4096
# links that name a place in the list, not a number of things to pass over
_PLACES = ("after", "before", "cursor")


def kept(url: str, base: str) -> str:
    """Path and query of a link. One that leads elsewhere is refused: our credential would not go there, and no trust does."""
    link = checked_url(url)
    if origin_of(link) != origin_of(checked_url(base)):
        raise ValidationFailure(
            f"a list goes on at {shown(url)}, which is not where it began",
            code=Code.REFUSED,
            hint="set base_url to the address under which the API names itself",
        )
    path = link.raw_path.decode("ascii")
    if len(path) > _LONGEST or not path.startswith("/") or path.startswith("//"):
        raise ValidationFailure("a list goes on at an address that is none", code=Code.REFUSED, hint="check base_url")
    return path


def size(link: str) -> int:
    """How many things a link asks for; what GitHub takes where it does not say."""
    text = httpx2.QueryParams(_query(link)).get("per_page", "")
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) <= 100 else 30


def counts(link: str) -> bool:
    """Whether a link counts pages. What is deleted meanwhile makes the rest of such a list move up."""
    asked = httpx2.QueryParams(_query(link))
    return not any(name in asked for name in _PLACES)


def resized(link: str, most: int) -> str:
    """The link with smaller pages, no further on in the list than it was; as it is, where its pages are small enough."""
    asked = httpx2.QueryParams(_query(link))
    before = size(link)
    if before <= most:
        return link
    asked = asked.set("per_page", most)
    page = asked.get("page", "")
    if page.isascii() and page.isdigit() and int(page) > 0:
        # rounded down: a few come twice, none is passed over
        asked = asked.set("page", (int(page) - 1) * before // most + 1)
    return f"{link.partition('?')[0]}?{asked}"


def pinned(link: str, commit: str) -> str:
    """A link of a list of commits, which from now on begins at this commit, wherever the branch moves meanwhile."""
    asked = httpx2.QueryParams(_query(link)).set("sha", commit)
    return f"{link.partition('?')[0]}?{asked}"


def _query(link: str) -> str:
    return link.partition("?")[2]
