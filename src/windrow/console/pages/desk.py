"""What the pages of every section stand on, and how a section says which addresses are its own."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from windrow.blobs import Blobs
from windrow.console.pages.live import Look
from windrow.console.pages.rendering import Renderer, View
from windrow.console.ports import Ports
from windrow.console.session import Visit
from windrow.contracts.errors import WindrowError
from windrow.postgres import Database
from windrow.web.principal import Role
from windrow.web.problem import status_of


@dataclass(frozen=True, slots=True)
class Shown:
    """A page, for those who have the role. `live` is the address from which the part of it that renews itself comes."""

    path: str
    look: Look
    live: str | None = None
    role: Role = Role.READER


@dataclass(frozen=True, slots=True)
class Given:
    """Something to read that is no page, such as the way to a file."""

    path: str
    give: Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Taken:
    """A form, from those who have the role."""

    path: str
    role: Role
    take: Callable[[Visit], Awaitable[Response]]


Address = Shown | Given | Taken


@dataclass(frozen=True, slots=True)
class Desk:
    """What pages are made with."""

    blobs: Blobs
    ports: Ports
    renderer: Renderer
    temporal_pages: str | None

    @property
    def database(self) -> Database:
        return self.blobs.database

    def act(
        self, do: Callable[[Visit], Awaitable[str]], again: Callable[[Visit], Awaitable[View]]
    ) -> Callable[[Visit], Awaitable[Response]]:
        """Do what the form asks, then on to the address that `do` names. What is refused is said on the page that `again`
        draws, with what was filled in (`refused` and `said` in every template), so that it can be said better."""

        async def take(visit: Visit) -> Response:
            try:
                onward = await do(visit)
            except WindrowError as error:
                if status_of(error) == 500:
                    raise
                return self.renderer.page(visit, await again(visit), status_of(error), refused=error)
            return RedirectResponse(onward, 303)

        return take


def done(visit: Visit, words: Mapping[str, str]) -> list[str]:
    """What was done, as the page says it afterwards: only these words, each once, whatever an address asks for."""
    return [words[did] for did in dict.fromkeys(told(visit)) if did in words]


def told(visit: Visit) -> list[str]:
    """What an address says was done: believed where we led there ourselves, not where a link of somebody else's leads."""
    came = visit.request.headers.get("sec-fetch-site", "same-origin")
    return visit.request.query_params.getlist("did")[:20] if came == "same-origin" else []
