"""What went wrong, as a page: for those who came with a browser. Everybody else gets problem details."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from windrow.console.pages.rendering import Renderer, View

_TITLES = {
    401: "You are not logged in",
    403: "That is not for you to do",
    404: "There is nothing here",
    405: "That cannot be done here",
    421: "Wrong address",
    429: "That was too quick",
    503: "Something is away for a moment",
}


class FaultPages:
    """Draws problems for browsers."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer

    def __call__(self, request: Request, problem: dict[str, Any], plain: Response) -> Response | None:
        """The page; None for whoever did not ask for one."""
        if "text/html" not in request.headers.get("accept", ""):
            return None
        status = problem["status"]
        title = _TITLES.get(status, "Something failed on our side" if status >= 500 else "That did not work")
        page = self._renderer.outside(request, View("fault.html", title, "", {"problem": problem}), status)
        for name, value in plain.headers.items():
            page.headers.setdefault(name, value)
        return page
