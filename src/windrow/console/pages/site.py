"""Every address of the console."""

from collections.abc import Awaitable, Callable, Iterator

from starlette.responses import Response
from starlette.routing import Route

from windrow.blobs import Blobs
from windrow.console.pages import alerts, audit, catalog, endpoints, jobs, kv, media, quarantine, queues, runs
from windrow.console.pages.desk import Address, Desk, Given, Shown
from windrow.console.pages.entrance import Entrance
from windrow.console.pages.faults import FaultPages
from windrow.console.pages.issuer import IssuerLogin, IssuerSettings
from windrow.console.pages.live import Live, Look
from windrow.console.pages.overview.engines import Pulse
from windrow.console.pages.overview.page import Overview
from windrow.console.pages.rendering import Renderer
from windrow.console.pages.static import Static
from windrow.console.ports import Ports
from windrow.console.session import Reception, SessionLimits, Visit
from windrow.console.session.cookies import LOGOUT, SessionCookie
from windrow.console.session.sessions import Sessions
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.principal import Role

# a section of the console is a package; it says itself which addresses it has
SECTIONS = (
    endpoints,
    runs,
    catalog,
    quarantine,
    jobs,
    media,
    queues,
    alerts,
    audit,
    kv,
)


class Site:
    """The console. `url` is where browsers reach it; `temporal_pages` where Temporal shows its own, if it does; `issuer`
    who else vouches for people."""

    def __init__(
        self,
        blobs: Blobs,
        url: str,
        ports: Ports,
        *,
        temporal_pages: str | None = None,
        sessions: SessionLimits | None = None,
        every: float | None = None,
        issuer: IssuerSettings | None = None,
    ) -> None:
        self._issuer = issuer
        self._static = Static()
        renderer = self._renderer = Renderer(self._static)
        self.desk = Desk(blobs, ports, renderer, temporal_pages)
        self._sessions, self._cookie = Sessions(blobs.database, sessions), SessionCookie.at(url)
        self._live = Live(renderer, self._sessions, **({"every": every} if every else {}))
        self._pulse = Pulse("Temporal", self._asked)
        self.fault = FaultPages(renderer)

    def close(self) -> None:
        """Let nobody's stream hold up the end of the server."""
        self._live.close()
        self._pulse.close()

    def routes(self, door: Doorkeeper, limits: ServerLimits) -> list[Route]:
        reception = Reception(self._sessions, self._cookie, door, limits)
        issuer = IssuerLogin(self._issuer, self._sessions, self._cookie, door) if self._issuer else None
        entrance = Entrance(self.desk.database, reception, self._renderer, issuer)
        overview = Shown("/", Overview(self.desk, [self._pulse.feel]).look, "/live/overview")
        shown = [overview, *(address for section in SECTIONS for address in section.addresses(self.desk))]
        return [
            Route("/static/{name}", self._static.serve, methods=["GET"]),
            Route("/login", entrance.login, methods=["GET"]),
            *(issuer.routes() if issuer else ()),
            *(route for address in shown for route in self._routes(reception, address)),
            Route("/you", reception.shows(self._page(entrance.you)), methods=["GET"]),
            Route("/you/look-at", reception.takes(Role.READER, entrance.look_at), methods=["POST"]),
            Route("/you/theme", reception.takes(Role.READER, entrance.theme), methods=["POST"]),
            Route(LOGOUT, reception.takes(Role.READER, entrance.logout), methods=["POST"]),
        ]

    def _routes(self, reception: Reception, address: Address) -> Iterator[Route]:
        if isinstance(address, Shown):
            yield Route(address.path, reception.shows(self._page(address.look), address.role), methods=["GET"])
            if address.live:
                following = self._live.follow(address.look)
                yield Route(address.live, reception.streams(following, address.role), methods=["GET"])
        elif isinstance(address, Given):
            yield Route(address.path, reception.shows(address.give), methods=["GET"])
        else:
            yield Route(address.path, reception.takes(address.role, address.take), methods=["POST"])

    def _page(self, look: Look) -> Callable[[Visit], Awaitable[Response]]:
        async def page(visit: Visit) -> Response:
            return self._renderer.page(visit, await look(visit))

        return page

    async def _asked(self) -> None:
        await (await self.desk.ports.temporal()).service_client.check_health()
