"""`/login/oidc`: to the issuer, and back from there with what it says. Who is not let in is told why at the way in, at an
address that holds no code any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from windrow.console.session import Guest, Visit
from windrow.console.session.attempts import Attempt, Attempts
from windrow.console.session.cookies import AttemptCookie, PartingCookie, SessionCookie
from windrow.console.session.links import PATH
from windrow.console.session.onward import HOME, onward
from windrow.console.session.parting import Parting
from windrow.console.session.sessions import Session, Sessions
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure, WindrowError
from windrow.contracts.scope import Actor
from windrow.objects.signing import SigningKey
from windrow.telemetry import emit
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.oidc import CodeFlow, CodeSpent, Identity, Reading, TokenRefused, Vouched, identified
from windrow.web.oidc.flaws import Flaw
from windrow.web.principal import highest

BEGIN = f"{PATH}/oidc"
CALLBACK = f"{BEGIN}/callback"


@dataclass(frozen=True, slots=True)
class IssuerSettings:
    """How people log in at an issuer. `name` is what the button calls it; `lasts` bounds a session, since the issuer may
    stop vouching for somebody."""

    flow: CodeFlow
    reading: Reading
    name: str
    signing: SigningKey
    lasts: timedelta


@dataclass(frozen=True, slots=True)
class Refused:
    """Why somebody is at the way in again."""

    status: int
    why: str
    then: str


_AGAIN = "Log in once more, from here"
REFUSED: Mapping[str, Refused] = {
    "lost": Refused(
        401, "the answer does not belong to a login that this browser began within the last ten minutes", _AGAIN
    ),
    "used": Refused(401, "this login was used already, or took too long", _AGAIN),
    "denied": Refused(401, "you or the issuer did not agree to it", "If that was a mistake, log in once more"),
    "failed": Refused(
        401, "the issuer answered with what cannot be believed", f"{_AGAIN}; if it stays so, the log tells more"
    ),
    "unplaced": Refused(
        403,
        "the issuer does not say to which tenant and project you belong",
        "Ask whoever runs Windrow: the issuer has to add both to its tokens",
    ),
    "role": Refused(
        403,
        "you have no role here",
        "Ask whoever runs Windrow for the role reader, writer or admin, then log in once more",
    ),
    "away": Refused(503, "the issuer does not answer", "Try it again in a minute, or use a link"),
    "unfit": Refused(
        503,
        "the issuer does not accept this server",
        "Whoever runs Windrow has to mend that: the log tells what the issuer answered",
    ),
}


# OAuth's (RFC 6749, 4.1.2.1) and OpenID Connect's (Core, 3.1.2.6) words for what became of a login
_ANSWERED: Mapping[str, str] = {
    **dict.fromkeys(
        ("access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required"),
        "denied",
    ),
    **dict.fromkeys(("server_error", "temporarily_unavailable"), "away"),
    **dict.fromkeys(
        ("invalid_request", "invalid_scope", "unauthorized_client", "unsupported_response_type"),
        "unfit",
    ),
}
# how much of an issuer's words goes into the log
_LONGEST_WORDS = 200


class _NotLetIn(Exception):
    """Ends a login; the word says why, the rest is for the log."""

    def __init__(self, word: str, error: WindrowError | None = None) -> None:
        super().__init__(word)
        self.word, self.error = word, error


class IssuerLogin:
    """The way in by the issuer."""

    def __init__(self, settings: IssuerSettings, sessions: Sessions, cookie: SessionCookie, door: Doorkeeper) -> None:
        self.name = settings.name
        self._flow, self._reading, self._lasts = settings.flow, settings.reading, settings.lasts
        self._sessions, self._cookie, self._door = sessions, cookie, door
        self._attempts, self._kept = Attempts(settings.signing), AttemptCookie.beside(cookie)
        self._parting, self._sealed = Parting(settings.signing), PartingCookie.beside(cookie)
        self._authority = f"issuer {settings.flow.issuer.name}"

    def routes(self) -> list[Route]:
        return [Route(BEGIN, self.begin, methods=["GET"]), Route(CALLBACK, self.finish, methods=["GET"])]

    async def begin(self, request: Request) -> Response:
        """Off to the issuer."""
        wanted = onward(request.query_params.get("next"))
        attempt, kept = self._attempts.new(wanted)
        try:
            response = RedirectResponse(await self._flow.address(attempt.bonds), 303)
        except RetryableTransient as error:
            return _back(wanted, _NotLetIn("away", error))
        self._kept.set(response, kept)
        return response

    async def finish(self, request: Request) -> Response:
        """Back from there: to where it was to lead, or to the way in."""
        attempt = self._attempts.known(self._kept.read(request), _one(request, "state") or "")
        if attempt is None:
            # the cookie stays: a stranger's link to here is not to end a login that is under way
            return _back(HOME, _NotLetIn("lost"))
        try:
            response = await self._let_in(request, attempt)
        except _NotLetIn as refused:
            response = _back(attempt.next, refused)
        self._kept.clear(response)
        return response

    @property
    def logs_out(self) -> bool:
        """Whether the issuer offers to log people out, as far as is known without asking it."""
        said = self._flow.issuer.last_said
        return said is None or said.ending is not None

    async def leaving(self, visit: Visit) -> str | None:
        """Where the browser is to go to log out there too; None where that cannot be had."""
        token = self._parting.opened(self._sealed.read(visit.request), visit.session.token)
        try:
            return await self._flow.ending(token)
        except RetryableTransient:
            return None

    def forget(self, response: Response) -> None:
        """Have the browser keep nothing for a logout any more."""
        self._sealed.clear(response)

    def _remember(self, response: Response, vouched: Vouched, session: Session) -> None:
        sealed = self._parting.sealed(vouched.token, session.token)
        if sealed is not None:
            self._sealed.set(response, sealed, session.expires_at)

    async def _let_in(self, request: Request, attempt: Attempt) -> Response:
        vouched, person = await self._person(request, attempt)
        role = highest(person.roles)
        if role is None:
            await self._note(request, person, "has no role")
            raise _NotLetIn("role")
        guest = Guest(person.scope, role, person.subject, anywhere=person.operator)
        session = await self._sessions.enter(
            guest, self._authority, ticket=attempt.key, longest=self._lasts, known_as=person.issued
        )
        if session is None:
            await self._note(request, person, "the login was used before")
            raise _NotLetIn("used")
        response = RedirectResponse(attempt.next, 303)
        self._cookie.set(response, session.token, session.expires_at)
        self._remember(response, vouched, session)
        return response

    async def _note(self, request: Request, person: Identity, reason: str) -> None:
        actor = Actor(person.subject, self._authority)
        await self._door.note_refusal(person.scope.tenant_id, actor, request, reason)

    async def _person(self, request: Request, attempt: Attempt) -> tuple[Vouched, Identity]:
        """Whom the issuer vouches for."""
        try:
            await self._flow.check_sender(_one(request, "iss"))
            code = _one(request, "code")
            if code is None or "error" in request.query_params:
                raise _answered(request)
            vouched = await self._flow.vouched(code, attempt.bonds)
            return vouched, identified(vouched.claims, self._reading)
        except RetryableTransient as error:
            raise _NotLetIn("away", error) from error
        except TokenRefused as error:
            raise _NotLetIn("unplaced" if error.flaw is Flaw.SCOPE else "failed", error) from error
        except CodeSpent as error:
            raise _NotLetIn("used", error) from error
        except ValidationFailure as error:
            raise _NotLetIn("failed", error) from error
        except Fatal as error:
            raise _NotLetIn("unfit", error) from error


def _answered(request: Request) -> _NotLetIn:
    """What it means that the issuer sent no code; in its own words for the log."""
    error = _one(request, "error") or ""
    said = ": ".join(filter(None, (error, _one(request, "error_description"))))
    shown = "".join(letter for letter in said if letter.isprintable())[:_LONGEST_WORDS]
    message = f"the issuer answered {shown}" if shown else "the issuer sent neither a code nor an error"
    return _NotLetIn(_ANSWERED.get(error, "failed"), ValidationFailure(message, code=Code.REFUSED))


def _one(request: Request, name: str) -> str | None:
    """The parameter; one that stands there twice is read in two ways, so in none."""
    given = request.query_params.getlist(name)
    return given[0] if len(given) == 1 else None


def _back(wanted: str, refused: _NotLetIn) -> Response:
    """To the way in, without what came with the answer."""
    error = refused.error
    emit(
        "login.refused",
        reason=refused.word,
        code=error.code if error else None,
        detail=error.message if error else None,
    )
    asked = {"refused": refused.word} | ({} if wanted == HOME else {"next": wanted})
    return RedirectResponse(f"{PATH}?{urlencode(asked)}", 303)
