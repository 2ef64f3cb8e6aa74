"""The issuer of the settings: who calls the API with its tokens, and who logs in to the console there."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from windrow.app.operators import own_credentials
from windrow.console.pages.issuer import CALLBACK, IssuerSettings
from windrow.console.session.links import PATH
from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpClient, HttpPolicy, RateLimit, Timeouts
from windrow.objects.signing import SigningKey
from windrow.settings import PREFIX, Settings
from windrow.vault import Secret
from windrow.web.oidc import Callers, CodeFlow, Issuer, Reading, Verifier
from windrow.web.oidc.discovery import described_at, provider_of
from windrow.web.oidc.header import ACCESS_TOKENS
from windrow.web.oidc.identity import ROLES
from windrow.web.oidc.published import keys_of
from windrow.web.principal import Authenticator, InTurn, Role

# a redirect would take what is exchanged somewhere else; strangers can have us ask, but not without end
_TIMEOUTS = Timeouts(connect=5, idle=5, total=10, queue=5)
_RATE = RateLimit(10, burst=20)


@dataclass(frozen=True, slots=True)
class Known:
    """Who is let in beside whom this machine knows."""

    callers: Authenticator | None = None
    login: IssuerSettings | None = None

    def beside(self, machine: Authenticator) -> Authenticator:
        """The machine's own first: it needs nobody else to answer."""
        return InTurn([machine, self.callers]) if self.callers else machine


@asynccontextmanager
async def known_by_issuer(settings: Settings, url: str, signing: SigningKey) -> AsyncIterator[Known]:
    """As long as the block lasts; nobody, and nobody is asked, where no issuer is set."""
    check(settings)
    if settings.oidc_issuer is None:
        yield Known()
        return
    async with AsyncExitStack() as kept:
        http = await kept.enter_async_context(client(settings))
        issuer = await kept.enter_async_context(Issuer(http, settings.oidc_issuer))
        own = await kept.enter_async_context(own_credentials(settings, os.environ))
        reading = reading_of(settings)

        async def secret() -> Secret:
            assert settings.oidc_client_secret_ref, "asked only where there is one"
            return await own.resolve(settings.oidc_client_secret_ref)

        login = None
        if settings.oidc_client_id:
            flow = CodeFlow(
                http,
                issuer,
                settings.oidc_client_id,
                url + CALLBACK,
                secret=secret if settings.oidc_client_secret_ref else None,
                scopes=settings.oidc_scopes,
                lacks=reading.lacks,
                left_uri=url + PATH,
            )
            login = IssuerSettings(
                flow, reading, name_of(settings), signing, timedelta(hours=settings.oidc_session_hours)
            )
        yield Known(_callers(settings, issuer, reading), login)


async def answers(settings: Settings) -> int:
    """How many keys the issuer publishes now; one of our errors where it does not answer, or not as an issuer should."""
    check(settings)
    assert settings.oidc_issuer, "asked only where there is one"
    async with client(settings) as http:
        said = await http.get(described_at(settings.oidc_issuer), accept=("application/json",))
        provider = provider_of(said.body, settings.oidc_issuer)
        published = await http.get(provider.keys, accept=("application/json",))
        found = [ways for ways in keys_of(published.body).values() if provider.signs_with(ways)]
    if not found:
        raise Fatal(
            "the issuer publishes no key to check tokens with",
            code=Code.CONFIGURATION,
            hint="have it sign with RS256, PS256, ES256 or EdDSA (Ed25519), by a key that it names (`kid`); RSA: 2048 to 4096 bits",
        )
    return len(found)


def client(settings: Settings) -> HttpClient:
    """What asks the issuer."""
    policy = HttpPolicy(
        source="oidc", allow=settings.addresses_allowed, rate=_RATE, timeouts=_TIMEOUTS, max_redirects=0
    )
    return HttpClient(policy)


def name_of(settings: Settings) -> str:
    """What people know the issuer by."""
    return settings.oidc_name or urlsplit(settings.oidc_issuer or "").netloc


def reading_of(settings: Settings) -> Reading:
    """Which claims say what."""
    return Reading(
        tenant=settings.oidc_tenant_claim,
        project=settings.oidc_project_claim,
        roles=settings.oidc_roles_claim,
        subject=settings.oidc_subject_claim,
        in_tenant=settings.oidc_tenant,
        in_project=settings.oidc_project,
        roles_by_name=dict(map(_role, settings.oidc_roles)) or ROLES,
        operators=settings.oidc_operators,
    )


def check(settings: Settings) -> None:
    """Refuse to serve where it was said to ask an issuer, and not which one or for what."""
    used = settings.oidc_client_id or settings.oidc_audience
    if settings.oidc_issuer is None and used:
        raise _wrong("people or programs are to be known by an issuer, and none is set", "set WINDROW_OIDC_ISSUER")
    if settings.oidc_issuer is not None and not used:
        raise _wrong(
            "an issuer is set, and nothing that it is asked for",
            "set WINDROW_OIDC_CLIENT_ID for the console, WINDROW_OIDC_AUDIENCE for the API, or both",
        )
    reading_of(settings)


def _callers(settings: Settings, issuer: Issuer, reading: Reading) -> Callers | None:
    if not settings.oidc_audience:
        return None
    ours, *beside = settings.oidc_audience
    verifier = Verifier(issuer.name, ours, issuer, beside=beside, kinds=ACCESS_TOKENS)
    return Callers(verifier, reading, f"token of {issuer.name}")


def _role(word: str) -> tuple[str, Role]:
    # the issuer's own name may hold an equals sign, ours does not
    name, _, role = word.rpartition("=")
    if not name or role not in ROLES:
        raise _wrong(f"{PREFIX}OIDC_ROLES holds a word that is not NAME=ROLE", f"the roles are {', '.join(ROLES)}")
    return name, ROLES[role]


def _wrong(message: str, hint: str) -> Fatal:
    return Fatal(message, code=Code.CONFIGURATION, hint=f"{hint} (docs/how-to/log-in.md)")
