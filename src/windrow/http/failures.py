"""Failures become our errors here, once: what httpx2 and httpcore2 raise, and what a status means.

HttpFailure                 an answer that says no; it carries the status and a redacted beginning of the body
├── HttpUnavailable         RetryableTransient   408, 425, 5xx
├── HttpLimited             RateLimited          429, and 503 that says when to come back
├── HttpRefused             ValidationFailure    every other status nobody accepted; a body of the wrong kind
└── HttpForbidden           Fatal                401, 403
"""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import httpcore2
import httpx2

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.http.response import Response
from windrow.http.urls import shown

# D17: these may be a hiccup; a status that comes with Retry-After is a word, not a hiccup
HICCUPS = frozenset({500, 502, 503, 504})


class HttpFailure(WindrowError):
    """A source answered, and the answer is a failure."""

    status: int = 0
    url: str = ""
    excerpt: str = ""


class HttpUnavailable(HttpFailure, RetryableTransient):
    """The source cannot serve now."""


class HttpLimited(HttpFailure, RateLimited):
    """The source asks us to slow down."""


class HttpRefused(HttpFailure, ValidationFailure):
    """The source says that the request is wrong, or answers what was not asked for."""


class HttpForbidden(HttpFailure, Fatal):
    """The source does not accept who we are."""


def failure(response: Response, retry_after: float | None) -> HttpFailure:
    """What an answer that nobody accepted means."""
    excerpt = response.excerpt
    error = _meaning(response, _answered(response, excerpt), retry_after)
    return _about(response, excerpt, error)


def wrong_kind(response: Response, accept: tuple[str, ...]) -> HttpFailure:
    """A body of a kind that was not asked for."""
    excerpt = response.excerpt
    message = f"{shown(response.url)} answered {response.media_type!r} where {' or '.join(accept)} was due: {excerpt!r}"
    page = "this is a web page, perhaps a login or a proxy: check the address and the credential"
    hint = page if "html" in response.media_type else "check that the address is the one of the API"
    return _about(response, excerpt, HttpRefused(message, code=Code.CONTENT_TYPE, hint=hint))


def _meaning(response: Response, message: str, retry_after: float | None) -> HttpFailure:
    status = response.status
    if status == 429 or (status == 503 and retry_after is not None):
        return HttpLimited(message, retry_after=retry_after)
    if status in (401, 403):
        return _forbidden(response, message)
    if status == 408:
        return HttpUnavailable(message, code=Code.TIMEOUT)
    if status >= 500 or status == 425:
        return HttpUnavailable(message)
    if status in (404, 410):
        return HttpRefused(message, code=Code.NOT_FOUND, hint="check the address, and that the credential may see it")
    return HttpRefused(message, code=Code.REFUSED, hint="check the request that was configured")


def _answered(response: Response, excerpt: str) -> str:
    phrase = next((f" {status.phrase}" for status in HTTPStatus if status == response.status), "")
    said = f": {excerpt}" if excerpt else ""
    return f"{shown(response.url)} answered {response.status}{phrase}{said}"


def _about(response: Response, excerpt: str, error: HttpFailure) -> HttpFailure:
    error.status, error.url, error.excerpt = response.status, shown(response.url), excerpt
    return error


@contextmanager
def translated(url: httpx2.URL) -> Iterator[None]:
    """What goes wrong inside becomes our error and names the address."""
    try:
        yield
    except WindrowError as error:
        _locate(error, url)
        raise
    except Exception as error:
        found = classify(error)
        _locate(found, url)
        raise found from error


def _locate(error: WindrowError, url: httpx2.URL) -> None:
    error.message = f"{shown(url)}: {error.message}"
    error.args = (error.message,)


def _forbidden(response: Response, message: str) -> HttpForbidden:
    if response.status == 403:
        hint = "the credential does not allow this: check its permissions, or whether it was revoked"
        return HttpForbidden(message, code=Code.FORBIDDEN, hint=hint)
    moved = any(step.url.split("/")[:3] != step.to.split("/")[:3] for step in response.redirects)
    hint = (
        "the source redirected to another origin, where credentials are not sent: configure the address it redirects to"
        if moved
        else "renew the credential, or check its credential_ref"
    )
    return HttpForbidden(message, code=Code.UNAUTHORIZED, hint=hint)


@classify.register(httpcore2.TimeoutException)
@classify.register(httpx2.TimeoutException)
def _timed_out(error: Exception) -> WindrowError:
    return RetryableTransient(f"the source did not answer in time ({type(error).__name__})", code=Code.TIMEOUT)


@classify.register(httpcore2.NetworkError)
@classify.register(httpcore2.ProtocolError)
@classify.register(httpcore2.ProxyError)
@classify.register(httpx2.TransportError)
def _network(error: Exception) -> WindrowError:
    cause = error.args[0] if error.args else error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return RetryableTransient(
            f"the source's certificate is not accepted: {cause.verify_message}",
            code=Code.NETWORK,
            hint="if the source has a certificate authority of its own, the operator can add it",
        )
    return RetryableTransient(f"the connection failed: {error or type(error).__name__}", code=Code.NETWORK)


@classify.register(httpcore2.RemoteProtocolError)
@classify.register(httpx2.RemoteProtocolError)
def _not_http(error: Exception) -> WindrowError:
    # h11 says 431 when the head of a message does not end; the exception itself travels as the first argument
    if getattr(error.args[0] if error.args else None, "error_status_hint", None) == 431:
        return ValidationFailure(
            "the answer's headers are too large", code=Code.TOO_LARGE, hint="check what answers at that address"
        )
    return RetryableTransient(f"the answer broke off or is not HTTP: {error}", code=Code.NETWORK)


@classify.register(httpcore2.LocalProtocolError)
@classify.register(httpcore2.UnsupportedProtocol)
@classify.register(httpx2.LocalProtocolError)
@classify.register(httpx2.UnsupportedProtocol)
@classify.register(httpx2.InvalidURL)
def _not_a_request(error: Exception) -> WindrowError:
    # the library's message quotes the header it does not like, and that header may be a secret
    return ValidationFailure(
        f"the request cannot be written as HTTP ({type(error).__name__})", code=Code.INVALID, hint="check its headers"
    )


@classify.register(httpx2.DecodingError)
def _damaged(error: Exception) -> WindrowError:
    return ValidationFailure(f"the body is damaged: {error}", code=Code.INVALID_VALUE)


@classify.register(httpx2.TooManyRedirects)
def _endless(error: Exception) -> WindrowError:
    return ValidationFailure(str(error), code=Code.REFUSED)


@classify.register(httpx2.HTTPStatusError)
def _status(error: httpx2.HTTPStatusError) -> WindrowError:
    answer = error.response
    return failure(Response(answer.status_code, str(error.request.url), answer.headers), None)
