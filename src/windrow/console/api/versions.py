"""Versions of what is edited, as HTTP tells them: `ETag`, and `If-Match` on whatever changes it."""

import re
from typing import Annotated, Protocol, TypeVar

from fastapi import Header
from starlette.responses import Response

from windrow.contracts.errors import Code
from windrow.web.problem import Refusal

IfMatch = Annotated[
    str | None, Header(max_length=100, description="The ETag that was seen; `*` for whatever is there.")
]
IfNoneMatch = Annotated[str | None, Header(pattern=r"^ *\* *$", description="`*`: nothing may be there yet.")]

_TAG = re.compile(r'"(?P<version>[0-9]{1,15})"', re.ASCII)


class Versioned(Protocol):
    """What rises with every edit."""

    version: int


V = TypeVar("V", bound=Versioned)


def tagged(response: Response, shown: V) -> V:
    """What is shown, with its version as the ETag."""
    response.headers["etag"] = f'"{shown.version}"'
    return shown


def expected_version(if_match: str | None, found: int) -> int:
    """The version that the caller has seen; refused where it is not the one that is there. 0: nothing is."""
    if if_match is None:
        raise Refusal(
            428, "say which version is meant", code=Code.INVALID, hint="send the ETag as If-Match, or If-Match: *"
        )
    seen = _TAG.fullmatch(if_match.strip())
    meant = found > 0 if if_match.strip() == "*" else seen is not None and int(seen["version"]) == found > 0
    if not meant:
        raise _another(found)
    return found


def expected_or_new(if_match: str | None, if_none_match: str | None, found: int) -> int:
    """The same for what may also be made: `If-None-Match: *` says that nothing is there yet."""
    if if_none_match is None:
        return expected_version(if_match, found)
    if found or if_match is not None:
        raise _another(found)
    return 0


def _another(found: int) -> Refusal:
    return Refusal(
        412,
        f"it is at version {found}, not at the one that was seen" if found else "it is not there",
        code=Code.CAS_MISMATCH,
        hint="read it again, and decide anew; what is new is sent with If-None-Match: *"
        if not found
        else "read it again, and decide anew",
    )
