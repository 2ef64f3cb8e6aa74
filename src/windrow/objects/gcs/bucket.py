"""A bucket, reached through Google's client: opened when it is first needed, asked from threads of its own."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, ParamSpec, TypeVar

import requests
from google.auth.credentials import Credentials, with_scopes_if_required
from google.auth.transport.requests import AuthorizedSession, Request
from google.cloud.storage import Client
from google.cloud.storage.retry import DEFAULT_RETRY
from requests.adapters import HTTPAdapter

from windrow.contracts.errors import WindrowError
from windrow.objects.gcs.errors import GoogleFailure
from windrow.objects.gcs.identity import SCOPE, identity
from windrow.objects.threads import seen_through

ENDPOINT = "https://storage.googleapis.com"
# to connect or get rid of bytes, and between two bytes of an answer
TIMEOUT = (10.0, 30.0)
# their own, since the loop's few are for the disk and for names: a store that hangs must not take those
THREADS = 32
# kept open at the most. Without a word `requests` keeps ten; open readers have one each, besides those of the threads
CONNECTIONS = 4 * THREADS

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """What an open bucket is asked through: Google's client, the session below it, and who we are."""

    client: Any
    session: AuthorizedSession
    credentials: Credentials


class Bucket:
    """One bucket for all tenants, coroutines and threads. Its connections and threads go with the last reference to it."""

    def __init__(
        self, name: str, *, endpoint: str | None, credentials: Credentials | None, patience: timedelta
    ) -> None:
        self.name, self.endpoint = name, (endpoint or ENDPOINT).rstrip("/")
        # the same for all: with a guard, what was done already is refused; without one, whoever is last wins anyway
        self.retry = DEFAULT_RETRY.with_delay(initial=0.1, maximum=2.0, multiplier=2.0).with_timeout(
            patience.total_seconds()
        )
        self.manners: dict[str, Any] = {"retry": self.retry, "timeout": TIMEOUT}
        self._credentials = credentials
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="gcs")
        self._opening = threading.Lock()
        self._line: Line | None = None

    async def ask(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work returns, which runs in a thread and may use all that is below."""
        running = asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *args, **kwargs))
        try:
            return await seen_through(running)
        except WindrowError:
            raise
        except Exception as error:
            raise GoogleFailure(error) from error

    @property
    def line(self) -> Line:
        with self._opening:
            if self._line is None:
                self._line = _connected(self.endpoint, self._credentials or identity(self.endpoint))
            return self._line

    @property
    def handle(self) -> Any:
        """The bucket as Google's client has it."""
        return self.line.client.bucket(self.name)

    def blob(self, name: str, generation: int | None = None) -> Any:
        return self.handle.blob(name, generation=generation)


def _connected(endpoint: str, credentials: Credentials) -> Line:
    # tokens are got by a session of their own: this one would ask itself for one first
    tokens = requests.Session()
    _equip(tokens)
    credentials = with_scopes_if_required(credentials, [SCOPE])  # type: ignore[no-untyped-call]
    session = AuthorizedSession(credentials, auth_request=Request(tokens))  # type: ignore[no-untyped-call]
    _equip(session)
    client = Client(
        # neither is looked for elsewhere: projects own buckets, but have no part in asking them
        project=None,
        client_options={"api_endpoint": endpoint},
        credentials=credentials,
        _http=session,
    )
    # else a thread of its own asks about the bucket, with a patience of its own, for spans that nobody draws
    client._bucket_metadata_cache = None  # noqa: SLF001
    return Line(client, session, credentials)


def _equip(session: requests.Session) -> None:
    # proxies, `.netrc` and certificates that the environment names have no word in it
    session.trust_env = False
    session.hooks["response"].append(_read_refusal)
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=CONNECTIONS))


def _read_refusal(answer: requests.Response, **_: object) -> None:
    """A 401 is dropped for a new token, and its connection with it, if nobody has read it to its end."""
    if not answer.ok:
        answer.content  # noqa: B018 - reads it
