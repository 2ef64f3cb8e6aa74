"""Pagination by cursors, as the Cloud has it: opaque, without state, good for one page size, and not for ever."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.requests import Request

T = TypeVar("T")


class Refused(Exception):
    """A request that is answered with 400."""


class Cursors:
    """Gives cursors out and takes them back. A cursor names the order of the last record, so that nothing is lost or double
    while things change.
    """

    def __init__(self) -> None:
        self._epoch = 0

    def expire(self) -> None:
        """None that was given out is good any more."""
        self._epoch += 1

    def page(
        self, request: Request, ordered: Sequence[T], key: Callable[[T], list[Any]], limit: int, most: int
    ) -> tuple[list[T], dict[str, Any] | None]:
        """What follows the cursor of a request, and the parameters of the next one. A page that is full has a next one, though
        there may be nothing in it; and behind the end there is always more of it.
        """
        after = self._after(request, limit)
        rest = [each for each in ordered if after is None or key(each) > after]
        page = rest[: min(limit, most)]
        if len(page) < min(limit, most) and (page or after is None):
            return page, None
        told = {"limit": limit, "epoch": self._epoch, "key": key(page[-1]) if page else after}
        kept = {
            name: value
            for name, value in request.query_params.items()
            if name not in ("cursor", "limit", "next", "start")
        }
        return page, {"cursor": _packed(told), "limit": limit, **kept}

    def _after(self, request: Request, limit: int) -> list[Any] | None:
        cursor = request.query_params.get("cursor")
        if cursor is None:
            return None
        try:
            told: dict[str, Any] = json.loads(base64.urlsafe_b64decode(cursor.removeprefix("_sa_")))
        except ValueError:
            raise Refused("Provided value for 'cursor' is not the correct type") from None
        if told["epoch"] != self._epoch or told["limit"] != limit:
            raise Refused("Provided value for 'cursor' is not valid")
        key: list[Any] = told["key"]
        return key


def link(path: str, params: dict[str, Any]) -> str:
    """A relative link."""
    return f"{path}?{urlencode(params, quote_via=quote)}"


def _packed(told: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode()
