"""Who is let in to which page. What the doorkeeper is for tokens, the reception is for cookies: both know the same callers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from windrow.console.session.cookies import SessionCookie
from windrow.console.session.forms import form_token, read_form
from windrow.console.session.links import PATH
from windrow.console.session.onward import HOME, onward
from windrow.console.session.sessions import Session, Sessions
from windrow.contracts.errors import Code
from windrow.telemetry import bound
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.edge import PRINCIPAL
from windrow.web.limits import ServerLimits
from windrow.web.principal import Principal, Role, not_allowed
from windrow.web.problem import Refusal

# what our script sends when it asks for a page again by itself: that keeps nobody logged in
RENEWAL = "x-renewal"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who is logged in, and the fields of the form that came with it."""

    request: Request
    session: Session
    form: Mapping[str, str]

    @property
    def principal(self) -> Principal:
        return self.session.principal

    @property
    def form_token(self) -> str:
        return form_token(self.session)

    def may(self, role: Role) -> bool:
        return self.principal.may(role)


Page = Callable[[Visit], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Reception:
    """Lets sessions through to pages; others are shown the way in. Whom it turns away is in the tenant's audit trail."""

    def __init__(self, sessions: Sessions, cookie: SessionCookie, door: Doorkeeper, limits: ServerLimits) -> None:
        self.sessions, self.cookie = sessions, cookie
        self._door, self._limits = door, limits

    def shows(self, page: Page, role: Role = Role.READER) -> Endpoint:
        """A page, for those who have the role. Who is not logged in is asked to be, whether or not there is such a thing."""

        async def endpoint(request: Request) -> Response:
            session = await self.sessions.find(self.cookie.read(request), asked=RENEWAL not in request.headers)
            if session is None:
                return RedirectResponse(_login(request), 303)
            return await self._visit(Visit(request, session, {}), role, page)

        return endpoint

    def takes(self, role: Role, page: Page) -> Endpoint:
        """A form, from those who have the role."""

        async def endpoint(request: Request) -> Response:
            session = await self.sessions.find(self.cookie.read(request))
            if session is None:
                raise not_logged_in()
            # who may not is told so before the form is read: it is refused either way, and noted as what it is
            form = await read_form(request, session, self._limits) if session.principal.may(role) else {}
            return await self._visit(Visit(request, session, form), role, page)

        return endpoint

    def streams(self, page: Page, role: Role = Role.READER) -> Endpoint:
        """What renews a page by itself: it keeps nobody logged in."""

        async def endpoint(request: Request) -> Response:
            session = await self.sessions.find(self.cookie.read(request), asked=False)
            if session is None:
                raise not_logged_in()
            return await self._visit(Visit(request, session, {}), role, page)

        return endpoint

    async def _visit(self, visit: Visit, role: Role, page: Page) -> Response:
        principal = visit.principal
        visit.request.scope[PRINCIPAL] = principal
        self.sessions.pace.step(visit.session.token.hash)
        with bound(tenant_id=principal.scope.tenant_id, project_id=principal.scope.project_id):
            if not principal.may(role):
                await self.note_refusal(visit, f"is no {role}")
                raise not_allowed(principal, role)
            return await page(visit)

    async def note_refusal(self, visit: Visit, reason: str) -> None:
        """Into the trail of the tenant that let the session in."""
        await self._door.note_refusal(visit.session.home.tenant_id, visit.principal.actor, visit.request, reason)


def not_logged_in() -> Refusal:
    return Refusal(
        401,
        "you are not logged in, or not any more",
        code=Code.UNAUTHORIZED,
        hint="`windrow login` prints a link",
        headers={"www-authenticate": 'Cookie realm="windrow"'},
    )


def _login(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    wanted = onward(request.url.path + query)
    return PATH if wanted == HOME else f"{PATH}?{urlencode({'next': wanted})}"
