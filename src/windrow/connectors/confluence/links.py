"""Where a list goes on: the source's own link, as a path below our base URL and a query, and never anywhere else.

The link is kept as a whole. Its `cursor` is not always the last parameter, and its `limit` is part of what the cursor means.
"""

from typing import Any
from urllib.parse import urlsplit

from windrow.contracts.errors import Code, ValidationFailure

LONGEST = 16 * 1024


def path_of(link: str) -> str:
    """What is asked, without its parameters."""
    return link.partition("?")[0]


def following(link: Any, *, asked: str, base_url: str) -> str | None:
    """The next link of a list in the form in which it is asked and kept; None where there is none.

    A link that leads to another list or another host is refused: our credential would go there.
    """
    if link is None or link == "":
        return None
    if not isinstance(link, str) or len(link) > LONGEST or not link.isprintable():
        raise _refused(asked)
    try:
        parts, home = urlsplit(link), urlsplit(base_url)
    except ValueError:
        raise _refused(asked) from None
    elsewhere = (parts.scheme or parts.netloc) and (parts.scheme, parts.netloc) != (home.scheme, home.netloc)
    path = path_of(asked)
    if elsewhere or not f"/{parts.path.lstrip('/')}".endswith(f"/{path}") or not parts.query:
        raise _refused(asked)
    # with or without the context path, by a gateway or not: what we ask is below our own base URL
    return f"{path}?{parts.query}"


def _refused(asked: str) -> ValidationFailure:
    return ValidationFailure(
        f"the next link of {path_of(asked)} leads elsewhere",
        code=Code.REFUSED,
        hint="check base_url, with its context path; a proxy in between may rewrite links",
    )
