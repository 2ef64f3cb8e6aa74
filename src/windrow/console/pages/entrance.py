"""`/login`, `/logout`, `/you`: the way in, the way out, and where one is."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from windrow.console.pages.issuer import REFUSED, IssuerLogin
from windrow.console.pages.rendering import THEME, THEMES, Renderer, View
from windrow.console.session import Reception, Visit
from windrow.console.session.onward import onward
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.orchestration import controls
from windrow.postgres import Database
from windrow.web.principal import Role, not_allowed
from windrow.web.problem import Refusal

_YEAR = 365 * 24 * 3600


class Entrance:
    """The pages around being logged in."""

    def __init__(
        self, database: Database, reception: Reception, renderer: Renderer, issuer: IssuerLogin | None = None
    ) -> None:
        self._database, self._reception, self._renderer, self._issuer = database, reception, renderer, issuer

    async def login(self, request: Request) -> Response:
        """With a code, in; without one, how to come by it. Only a GET uses a code up: those who look ahead send a HEAD."""
        code, wanted = request.query_params.get("code"), onward(request.query_params.get("next"))
        refused = REFUSED.get(request.query_params.get("refused", "")) if self._issuer else None
        known = await self._reception.sessions.find(self._reception.cookie.read(request))
        if known and code is None and not refused:
            return RedirectResponse(wanted, 303)
        if code is None or _only_looks_ahead(request):
            name = self._issuer.name if self._issuer else None
            left = name is not None and request.query_params.get("left") == "here"
            shown = {"issuer": name, "wanted": quote(wanted), "refused": refused, "left": left}
            return self._renderer.outside(
                request, View("landing.html", "Log in", "", shown), refused.status if refused else 200
            )
        if not _is_meant(request):
            doubt = {"known": known, "code": code, "wanted": wanted}
            return self._renderer.outside(request, View("sure.html", "Log in", "", doubt))
        session = await self._reception.sessions.open(code)
        if session is None:
            raise _used_up()
        if known:
            await self._reception.sessions.end(known)  # nobody could log it out any more
        # to another address at once, so that the code stays in no history
        response = RedirectResponse(wanted, 303)
        self._reception.cookie.set(response, session.token, session.expires_at)
        return response

    async def logout(self, visit: Visit) -> Response:
        await self._reception.sessions.end(visit.session)
        if self._issuer and visit.form.get("also") == "issuer":
            response = await self._leave(visit, self._issuer)
        else:
            response = RedirectResponse("/login", 303)
        self._reception.cookie.clear(response)
        if self._issuer:
            self._issuer.forget(response)
        response.headers["clear-site-data"] = '"cache"'
        return response

    async def _leave(self, visit: Visit, issuer: IssuerLogin) -> Response:
        """On to the issuer, by a page that goes there by itself: no form of ours may lead to another site, not even by a
        redirect."""
        further = await issuer.leaving(visit)
        if further is None:
            return RedirectResponse("/login?left=here", 303)
        shown = {"issuer": issuer.name, "further": further}
        response = self._renderer.outside(visit.request, View("leaving.html", "Log out", "", shown))
        response.headers["refresh"] = f"0; url={further}"
        return response

    async def you(self, visit: Visit) -> View:
        tenants = await controls.tenants(self._database) if visit.session.anywhere else []
        known = sorted({*tenants, visit.session.home.tenant_id, visit.session.at.tenant_id})
        issuer = self._issuer.name if self._issuer and self._issuer.logs_out else None
        shown = {"tenants": known, "session": visit.session, "themes": THEMES, "issuer": issuer}
        return View("you.html", "You", "you", shown)

    async def look_at(self, visit: Visit) -> Response:
        """Another tenant's matters. Who may not is refused as if he lacked a role, and it is noted."""
        if not visit.session.anywhere:
            await self._reception.note_refusal(visit, "may not look at other tenants")
            raise not_allowed(visit.principal, Role.ADMIN)
        scope = Scope(visit.form.get("tenant", ""), visit.form.get("project", "") or visit.session.home.project_id)
        await self._reception.sessions.look_at(visit.session, scope)
        return RedirectResponse("/", 303)

    async def theme(self, visit: Visit) -> Response:
        chosen = visit.form.get("theme", "")
        if chosen not in THEMES:
            raise ValidationFailure("there is no such theme", code=Code.INVALID_VALUE, hint=", ".join(THEMES))
        response = RedirectResponse(onward(visit.form.get("next")), 303)
        secure = self._reception.cookie.secure
        response.set_cookie(THEME, chosen, max_age=_YEAR, path="/", secure=secure, httponly=True, samesite="lax")
        return response


def _only_looks_ahead(request: Request) -> bool:
    """What fetches a page before anybody has asked for it must not use its code up."""
    return request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")


def _is_meant(request: Request) -> bool:
    """Whether a person has opened the link, rather than another site's page: by that, they would be at work as somebody else
    without knowing. Who is asked says so on a page of ours."""
    return request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")


def _used_up() -> Refusal:
    """The same for a code that was used, one that has run out, and one that never was."""
    return Refusal(
        401,
        "this link has been used, or is too old, or never was one",
        code=Code.UNAUTHORIZED,
        hint="`windrow login` prints a new one; each works once, and for a quarter of an hour",
        headers={"www-authenticate": 'Cookie realm="windrow"'},
    )
