"""Every address of the console, and what each shows."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from windrow.console.pages.acts import ACTS, EndpointActs
from windrow.console.pages.endpoint import EndpointPage
from windrow.console.pages.endpoints import Endpoints
from windrow.console.pages.engines import Pulse
from windrow.console.pages.entrance import Entrance
from windrow.console.pages.faults import FaultPages
from windrow.console.pages.live import Live, Look
from windrow.console.pages.overview import Overview
from windrow.console.pages.rendering import Renderer
from windrow.console.pages.run import RunPage
from windrow.console.pages.runs import Runs
from windrow.console.pages.static import Static
from windrow.console.session import Reception, SessionLimits, Visit
from windrow.console.session.cookies import SessionCookie
from windrow.console.session.sessions import Sessions
from windrow.postgres import Database
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.principal import Role

if TYPE_CHECKING:
    from temporalio.client import Client


class Site:
    """The console. `url` is where browsers reach it; `temporal_pages` where Temporal shows its own, if it does."""

    def __init__(
        self,
        database: Database,
        url: str,
        temporal: Callable[[], Awaitable["Client"]],
        *,
        temporal_pages: str | None = None,
        sessions: SessionLimits | None = None,
        every: float | None = None,
    ) -> None:
        self._database, self._temporal, self._temporal_pages = database, temporal, temporal_pages
        self._static = Static()
        self._renderer = Renderer(self._static)
        self._sessions, self._cookie = Sessions(database, sessions), SessionCookie.at(url)
        self._live = Live(self._renderer, self._sessions, **({"every": every} if every else {}))
        self._pulse = Pulse("Temporal", self._asked)
        self.fault = FaultPages(self._renderer)

    def close(self) -> None:
        """Let nobody's stream hold up the end of the server."""
        self._live.close()
        self._pulse.close()

    def routes(self, door: Doorkeeper, limits: ServerLimits) -> list[Route]:
        reception = Reception(self._sessions, self._cookie, door, limits)
        entrance = Entrance(self._database, reception, self._renderer)
        endpoint = EndpointPage(self._database, self._temporal_pages)
        acts = EndpointActs(self._database, self._temporal, endpoint, self._renderer)
        live: dict[str, tuple[str, Look]] = {
            "/": ("/live/overview", Overview(self._database, [self._pulse.feel]).look),
            "/endpoints": ("/live/endpoints", Endpoints(self._database).look),
            "/endpoints/{name}": ("/live/endpoints/{name}", endpoint.look),
            "/runs": ("/live/runs", Runs(self._database).look),
            "/runs/{run_id:path}": ("/live/runs/{run_id:path}", RunPage(self._database, self._temporal_pages).look),
        }
        return [
            Route("/static/{name}", self._static.serve, methods=["GET"]),
            Route("/login", entrance.login, methods=["GET"]),
            *(Route(path, reception.shows(self._page(look)), methods=["GET"]) for path, (_, look) in live.items()),
            *(Route(path, reception.streams(self._live.follow(look)), methods=["GET"]) for path, look in live.values()),
            *(
                Route(f"/endpoints/{{name}}/{act}", reception.takes(Role.WRITER, acts.takes(act)), methods=["POST"])
                for act in ACTS
            ),
            Route("/you", reception.shows(self._page(entrance.you)), methods=["GET"]),
            Route("/you/look-at", reception.takes(Role.READER, entrance.look_at), methods=["POST"]),
            Route("/you/theme", reception.takes(Role.READER, entrance.theme), methods=["POST"]),
            Route("/logout", reception.takes(Role.READER, entrance.logout), methods=["POST"]),
        ]

    def _page(self, look: Look) -> Callable[[Visit], Awaitable[Response]]:
        async def page(visit: Visit) -> Response:
            return self._renderer.page(visit, await look(visit))

        return page

    async def _asked(self) -> None:
        await (await self._temporal()).service_client.check_health()
