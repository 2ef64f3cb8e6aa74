"""Versions of what is edited, as HTTP tells them: `ETag`, and `If-Match` on whatever changes it."""

import re
from typing import Protocol, TypeVar

from starlette.responses import Response

from windrow.contracts.errors import Code
from windrow.web.problem import Refusal

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
    """The version that the caller has seen; refused where it is not the one that is there."""
    if if_match is None:
        raise Refusal(
            428, "say which version is meant", code=Code.INVALID, hint="send the ETag as If-Match, or If-Match: *"
        )
    if if_match.strip() == "*":
        return found
    seen = _TAG.fullmatch(if_match.strip())
    if seen is None or int(seen["version"]) != found:
        raise Refusal(
            412,
            f"it is at version {found}, not at the one that was seen",
            code=Code.CAS_MISMATCH,
            hint="read it again, and decide anew",
        )
    return found
