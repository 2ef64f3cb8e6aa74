"""Vendors whose credential dies in the middle of a harvest, and is replaced later.

From its end on, the vendor repeats in its refusals what it was given, as some do: in a body, and in a header.
"""

import json
import random
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from tests.fakes.confluence.people import People
from tests.fakes.github import GitHub, people
from tests.fakes.onedrive.season import Team
from tests.stories.connectors.season import Source

_FOREVER = datetime.max.replace(tzinfo=UTC)


@dataclass
class Keyholder:
    """An account of a vendor. `ends_at`: with this request its credential is void.

    After `middle` requests some pages of a harvest are published, and most are not.
    """

    source: Source
    credential: str
    config: dict[str, Any] = field(default_factory=dict)
    middle: int = 8
    ends_at: int | None = None
    used: set[str] = field(default_factory=set)
    # while it is not set, nothing is answered beyond the first requests
    answers: threading.Event = field(default_factory=threading.Event)
    void: bool = False
    asked: int = 0

    def __post_init__(self) -> None:
        self.answers.set()
        self.used.add(self.credential)
        self.source.vendor.before = self._before

    def end(self) -> None:
        """The vendor does not accept it any more."""
        raise NotImplementedError

    def begin(self) -> str:
        """Another one, which it accepts."""
        raise NotImplementedError

    def renew(self) -> str:
        """What is to be stored from here on."""
        with self.source.vendor.lock:
            self.credential, self.void = self.begin(), False
        self.used.add(self.credential)
        return self.credential

    def secrets(self) -> set[str]:
        """Every text that was a secret between us and this vendor, whoever made it."""
        proofs = {each.headers.get("authorization", "").partition(" ")[2] for each in self.source.vendor.requests}
        return (self.used | proofs) - {""}

    def _before(self, request: Request) -> Response | None:
        self.asked += 1
        assert self.asked <= 2 or self.answers.wait(60), "nobody lets it answer"
        if self.asked == self.ends_at:
            self.void = True
            self.end()
        return self._refused(request) if self.void else None

    def _refused(self, request: Request) -> Response:
        given = f"{self.credential} and {request.headers.get('authorization', 'nothing')} are void"
        signing_in = "oauth2" in request.url.path
        told = {"error": "invalid_client", "error_description": f"AADSTS7000215: {given}"} if signing_in else {}
        header = urlencode({"error_description": given})
        return JSONResponse({"message": given, **told}, 401, {"www-authenticate": f"Bearer {header}"})


class GithubToken(Keyholder):
    def end(self) -> None:
        _hub(self).tokens.clear()

    def begin(self) -> str:
        _hub(self).tokens["ghp_rotated9876543210fedcba"] = _FOREVER
        return "ghp_rotated9876543210fedcba"


class GithubApp(Keyholder):
    def end(self) -> None:
        _hub(self).app_key = None
        _hub(self).tokens.clear()

    def begin(self) -> str:
        key, pem = _app_key()
        _hub(self).app_key = key.public_key()
        return pem


class ConfluenceToken(Keyholder):
    def end(self) -> None:
        assert isinstance(self.source, People)
        self.source.site.accounts.clear()

    def begin(self) -> str:
        assert isinstance(self.source, People)
        self.source.site.accounts.add("ada@example.org:another-token-of-ada")
        return "another-token-of-ada"


class OneDriveSecret(Keyholder):
    def end(self) -> None:
        _team(self).login.secret = "canary-that-nobody-knows-yet"
        _team(self).login.revoke_access()

    def begin(self) -> str:
        return _team(self).login.secret

    def secrets(self) -> set[str]:
        # whatever this login makes up begins so
        return super().secrets() | {"canary-access-", "canary-client-", "canary-that-", "canary-refresh-"}


class OneDriveRefreshToken(OneDriveSecret):
    def end(self) -> None:
        _team(self).login.refreshing.clear()
        _team(self).login.revoke_access()

    def begin(self) -> str:
        _team(self).login.refreshing.add("canary-refresh-of-another-day")
        return json.dumps({"refresh_token": "canary-refresh-of-another-day"})


def github_token() -> Keyholder:
    hub = _settled()
    return GithubToken(hub, str(hub.credential))


def github_app() -> Keyholder:
    hub = _settled()
    key, pem = _app_key()
    hub.app_key = key.public_key()
    return GithubApp(hub, pem, {"app_id": "1234", "installation_id": 77})


def confluence() -> Keyholder:
    return ConfluenceToken(People(seed=2, size=300), "api-token-of-ada")


def onedrive() -> Keyholder:
    team = Team(size=300)
    return OneDriveSecret(team, team.login.secret, middle=20)


def onedrive_as_user() -> Keyholder:
    team = Team(size=300)
    return OneDriveRefreshToken(team, team.login.refresh, {"sign_in": "user"}, middle=20)


def _settled() -> GitHub:
    hub = GitHub()
    people.settle(hub.account, random.Random(2), repositories=3, things=60)
    return hub


def _hub(of: Keyholder) -> GitHub:
    assert isinstance(of.source, GitHub)
    return of.source


def _team(of: Keyholder) -> Team:
    assert isinstance(of.source, Team)
    return of.source


def _app_key() -> tuple[rsa.RSAPrivateKey, str]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key, key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
