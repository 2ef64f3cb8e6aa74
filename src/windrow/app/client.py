"""The HTTP application, as a client calls it: with the token of this machine, and by the URLs that it is given."""

import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any
from urllib.parse import urlsplit

import httpx2

from windrow.app.doorplate import TOKEN, address
from windrow.contracts.errors import (
    FAMILY,
    Code,
    Conflict,
    Fatal,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.objects.threads import in_thread
from windrow.settings import Settings
from windrow.vault import Secret
from windrow.web.kept_secret import read_secret

CHUNK = 1024 * 1024
# a connection is quick on one machine; what is uploaded may be large, and what is completed must be read again
TIMEOUT = httpx2.Timeout(60, connect=5)
COMPLETE_SECONDS = 600
_AWAY = "start it with `windrow up`, or name where it answers in WINDROW_HTTP_URL"

Progress = Callable[[int], object]


class Client:
    """Calls of one command."""

    def __init__(self, http: httpx2.AsyncClient, url: str, token: Secret) -> None:
        self._http, self._url, self._token = http, url, token

    async def call(self, method: str, path: str, body: Any = None, **params: str) -> Any:
        """One call of the API; what it answers, or the error that it tells."""
        headers = {"authorization": f"Bearer {self._token.reveal()}"}
        with _translated():
            response = await self._http.request(
                method, self._url + path, json=body, params=params, headers=headers, timeout=COMPLETE_SECONDS
            )
        return _checked(response).json()

    async def upload(self, ticket: dict[str, Any], path: Path, progress: Progress) -> None:
        """Send a file to an upload URL, without the token: that URL may be another server's."""
        size = (await in_thread(path.stat)).st_size
        headers = {**ticket["headers"], "content-length": str(size)}
        with _translated():
            _checked(
                await self._http.request(
                    ticket["method"], ticket["url"], content=_pieces(path, progress), headers=headers
                )
            )

    async def download(self, ticket: dict[str, Any], path: Path, sha256: str, progress: Progress) -> None:
        """Fetch a blob into a file that is there only when it is whole."""
        try:
            with _aside(path) as (aside, file):
                found = await self._fetch(ticket["url"], file.write, progress)
                if found != sha256:
                    raise Fatal("the download is not what was linked", code=Code.CORRUPTED, hint="try it again")
                file.flush()
                os.link(aside, path)
        except FileExistsError:
            raise _exists(path) from None
        except OSError as error:
            raise classify(error) from error

    async def _fetch(self, url: str, write: Callable[[bytes], object], progress: Progress) -> str:
        digest = hashlib.sha256()
        with _translated():
            async with self._http.stream("GET", url) as response:
                if response.status_code != 200:
                    await response.aread()
                _checked(response)
                async for piece in response.aiter_raw():
                    digest.update(piece)
                    await in_thread(write, piece)
                    progress(len(piece))
        return digest.hexdigest()


@asynccontextmanager
async def calling(settings: Settings) -> AsyncIterator[Client]:
    """A client of the application that the settings name, or that runs in the home directory."""
    home = settings.home.absolute()
    url = settings.http_url or address(home)
    if url is None:
        raise RetryableTransient(f"no HTTP application runs in {settings.home}", code=Code.UNAVAILABLE, hint=_AWAY)
    _check_private(url)
    # no proxy of the environment: the token is for nobody else's eyes
    async with httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=TIMEOUT) as http:
        yield Client(http, url.rstrip("/"), read_secret(home / TOKEN))


def _check_private(url: str) -> None:
    """The token crosses no network where others could read it."""
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise Fatal(
            "the token is not sent to another machine in the clear",
            code=Code.CONFIGURATION,
            hint="name an https address in WINDROW_HTTP_URL",
        )


@contextmanager
def _aside(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """A file beside the path, gone afterwards."""
    descriptor, aside = mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield aside, file
    finally:
        Path(aside).unlink()


def check_absent(path: Path) -> None:
    """Nothing is downloaded over what is there."""
    if os.path.lexists(path):
        raise _exists(path)


async def fingerprint(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file that is to be uploaded."""
    digest, size = hashlib.sha256(), 0
    async for piece in _pieces(path, lambda _: None):
        digest.update(piece)
        size += len(piece)
    return size, digest.hexdigest()


async def _pieces(path: Path, progress: Progress) -> AsyncIterator[bytes]:
    try:
        file = await in_thread(path.open, "rb")
        with file:
            while piece := await in_thread(file.read, CHUNK):
                yield piece
                progress(len(piece))
    except OSError as error:
        raise classify(error) from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except httpx2.HTTPError as error:
        message = f"the HTTP application does not answer: {type(error).__name__} {error}".strip()
        raise RetryableTransient(message, code=Code.NETWORK, hint=_AWAY) from error


def _checked(response: httpx2.Response) -> httpx2.Response:
    if response.is_success:
        return response
    raise _told(response)


def _told(response: httpx2.Response) -> WindrowError:
    """The error of the other side as ours; an answer that is no problem details is told by its number."""
    try:
        problem = response.json()
        kind = next(each for each in FAMILY if each.__name__ == problem["title"])
        return kind(str(problem["detail"]), code=Code(problem["code"]), hint=problem.get("hint"))
    except (ValueError, KeyError, TypeError, StopIteration):
        transient = response.status_code >= 500
        kind = RetryableTransient if transient else ValidationFailure
        code = Code.UNAVAILABLE if transient else Code.REFUSED
        return kind(f"{response.request.method} was answered with {response.status_code}", code=code)


def _exists(path: Path) -> Conflict:
    return Conflict(f"{path} is there already", code=Code.ALREADY_EXISTS, hint="choose another name, or remove it")
