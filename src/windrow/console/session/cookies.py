"""The cookies: of a session, of a login under way, and of what is kept for the logout."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from windrow.console.session.attempts import LIFETIME
from windrow.console.session.tokens import Token

LOGOUT = "/logout"


@dataclass(frozen=True, slots=True)
class SessionCookie:
    """What it is called and how it is kept, by the address at which browsers reach us."""

    name: str
    secure: bool

    @classmethod
    def at(cls, url: str) -> "SessionCookie":
        """Over TLS, `__Host-` has the browser see to it that nobody but this host, over TLS, can have set it.

        On one machine cookies are shared by all ports: there the port is in the name, so that two of us do not log each
        other out.
        """
        parts = urlsplit(url)
        if parts.scheme == "https":
            return cls("__Host-windrow", secure=True)
        return cls(f"windrow-{parts.port or 80}", secure=False)

    def read(self, request: Request) -> str:
        return request.cookies.get(self.name, "")

    def set(self, response: Response, token: Token, until: datetime) -> None:
        # Lax, not Strict: who follows the link from a mail or a chat is to arrive logged in. Forms carry tokens of their own
        response.set_cookie(
            self.name, token.text, expires=until, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")


@dataclass(frozen=True, slots=True)
class AttemptCookie:
    """Binds a login at the issuer to the browser that began it, for as long as it may take."""

    name: str
    secure: bool

    @classmethod
    def beside(cls, session: SessionCookie) -> "AttemptCookie":
        return cls(session.name.replace("windrow", "windrow-login"), session.secure)

    def read(self, request: Request) -> str:
        return request.cookies.get(self.name, "")

    def set(self, response: Response, sealed: str) -> None:
        # Lax, not Strict: it is the issuer's page that sends the browser back
        seconds = int(LIFETIME.total_seconds())
        response.set_cookie(
            self.name, sealed, max_age=seconds, path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")


@dataclass(frozen=True, slots=True)
class PartingCookie:
    """Is sent with nothing but the form that logs out."""

    name: str
    secure: bool

    @classmethod
    def beside(cls, session: SessionCookie) -> "PartingCookie":
        # `__Host-` would have it sent with every request
        return cls(session.name.replace("__Host-", "__Secure-").replace("windrow", "windrow-parting"), session.secure)

    def read(self, request: Request) -> str:
        return request.cookies.get(self.name, "")

    def set(self, response: Response, sealed: str, until: datetime) -> None:
        response.set_cookie(
            self.name, sealed, expires=until, path=LOGOUT, secure=self.secure, httponly=True, samesite="strict"
        )

    def clear(self, response: Response) -> None:
        response.delete_cookie(self.name, path=LOGOUT, secure=self.secure, httponly=True, samesite="strict")
