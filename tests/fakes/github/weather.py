"""The troubles that GitHub has. Each ends by being met."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from tests.fakes.github.server import GitHub

Trouble = Callable[[Request], Response | None]
_SLOW = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def befall(hub: "GitHub", drawn: random.Random) -> None:
    """One trouble, drawn."""
    kinds: list[Callable[[], None]] = [
        lambda: meet(hub, primary_limit(hub)),
        lambda: meet(hub, secondary_limit(403, {"retry-after": "7"})),
        lambda: meet(hub, secondary_limit(403, {})),
        lambda: meet(hub, secondary_limit(429, {"retry-after": "3"})),
        lambda: meet(hub, secondary_limit(429, {})),
        lambda: meet(hub, away(502, times=drawn.randint(1, 3))),
        lambda: large_pages_fail(hub),
        lambda: meet(hub, computing()),
        lambda: expire_cursors(hub),
        lambda: meet(hub, once(lambda _: _error(403, "Resource not accessible by personal access token"), _is_a_list)),
        lambda: meet(hub, once(lambda _: _error(404, "Not Found"), _is_a_list)),
    ]
    drawn.choice(kinds)()


def meet(hub: "GitHub", trouble: Trouble) -> None:
    """It will happen, behind those that are still to come."""
    hub.troubles.append(trouble)

    def ending(request: Request) -> Response | None:
        response = trouble(request)
        if response is not None and getattr(trouble, "over", lambda: True)():
            hub.troubles.popleft()
        return response

    hub.troubles[-1] = ending


def once(answer: Callable[[Request], Response], when: Callable[[Request], bool] = lambda _: True) -> Trouble:
    return lambda request: answer(request) if when(request) else None


def primary_limit(hub: "GitHub") -> Trouble:
    """Nothing remains, until the reset."""
    reset = str(int(hub.account.now.timestamp()) + 40)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    return once(lambda _: _error(403, "API rate limit exceeded for user ID 1.", headers))


def secondary_limit(status: int, headers: dict[str, str]) -> Trouble:
    return once(lambda _: _error(status, _SLOW, headers))


def computing() -> Trouble:
    return once(lambda _: Response("{}", 202), _is_a_list)


class away:  # noqa: N801 - reads as a kind of trouble
    """It cannot serve, so many times in a row."""

    def __init__(self, status: int, *, times: int) -> None:
        self._status, self._left = status, times

    def __call__(self, _: Request) -> Response:
        self._left -= 1
        return Response("<html>Unicorn!</html>", self._status, {"content-type": "text/html"})

    def over(self) -> bool:
        return self._left <= 0


def large_pages_fail(hub: "GitHub") -> None:
    """A page of more than fifty takes too long; it ends when somebody asks for less."""
    met: list[int] = []

    def failing(request: Request) -> Response | None:
        size = int(request.query_params.get("per_page", "30"))
        if size > 50:
            met.append(size)
            return Response("<html>502</html>", 502, {"content-type": "text/html"})
        if met:
            hub.troubles.remove(failing)
        return None

    hub.troubles.append(failing)


def expire_cursors(hub: "GitHub") -> None:
    """What was given out as a cursor is refused from now on."""
    hub.generation += 1


def _is_a_list(request: Request) -> bool:
    return request.url.path.startswith(("/repos/", "/repositories/"))


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    from tests.fakes.github.server import error

    return error(status, message, **(headers or {}))
