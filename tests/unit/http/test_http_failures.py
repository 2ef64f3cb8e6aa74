"""Failures in our own words, once."""

import pickle

import httpcore2
import httpx2
import pytest

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.contracts.retry import next_delay
from windrow.http import HttpFailure, HttpForbidden, HttpLimited, HttpRefused, Redirect, Response
from windrow.http.failures import failure


def answer(status: int, *redirects: Redirect) -> Response:
    return Response(status, "https://api.example/x?token=canary", {}, redirects, b'{"message": "no"}')


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (301, ValidationFailure, Code.REFUSED),
        (304, ValidationFailure, Code.REFUSED),
        (400, ValidationFailure, Code.REFUSED),
        (401, Fatal, Code.UNAUTHORIZED),
        (403, Fatal, Code.FORBIDDEN),
        (404, ValidationFailure, Code.NOT_FOUND),
        (408, RetryableTransient, Code.TIMEOUT),
        (409, ValidationFailure, Code.REFUSED),
        (410, ValidationFailure, Code.NOT_FOUND),
        (422, ValidationFailure, Code.REFUSED),
        (423, ValidationFailure, Code.REFUSED),
        (425, RetryableTransient, Code.UNAVAILABLE),
        (429, RateLimited, Code.RATE_LIMITED),
        (500, RetryableTransient, Code.UNAVAILABLE),
        (503, RetryableTransient, Code.UNAVAILABLE),
        (599, RetryableTransient, Code.UNAVAILABLE),
        (999, RetryableTransient, Code.UNAVAILABLE),
    ],
)
def test_a_status_has_one_meaning(status: int, kind: type[WindrowError], code: Code) -> None:
    error = failure(answer(status), None)

    assert isinstance(error, kind)
    assert isinstance(error, HttpFailure)
    assert (error.code, error.status) == (code, status)
    assert error.error_class in ("RetryableTransient", "ValidationFailure", "Fatal")
    assert error.excerpt == '{"message": "no"}'
    assert "canary" not in f"{error} {error.url} {error.hint}"


def test_a_source_that_says_when_to_come_back_is_believed() -> None:
    error = failure(answer(503), 90.0)

    assert isinstance(error, HttpLimited)
    assert error.retry_after == 90.0
    delay = next_delay(error, 1)
    assert delay is not None
    assert delay.total_seconds() == 90.0


def test_credentials_lost_at_a_redirect_are_named_as_the_reason() -> None:
    away = Redirect(302, "https://api.example/x", "https://other.example/x")
    error = failure(answer(401, away), None)

    assert "another origin" in str(error.hint)
    assert "another origin" not in str(failure(answer(401), None).hint)


def test_a_caller_can_match_on_the_status() -> None:
    match failure(answer(404), None):
        case HttpRefused(status=404 | 410):
            pass
        case other:
            pytest.fail(f"{other!r}")


def test_a_failure_travels_whole() -> None:
    error = pickle.loads(pickle.dumps(failure(answer(403), None)))

    assert isinstance(error, HttpForbidden)
    assert (error.status, error.code, error.excerpt) == (403, Code.FORBIDDEN, '{"message": "no"}')


REQUEST = httpx2.Request("GET", "https://api.example/")


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (httpcore2.ConnectError(OSError("refused")), RetryableTransient, Code.NETWORK),
        (httpcore2.ReadError(), RetryableTransient, Code.NETWORK),
        (httpcore2.WriteError("reset"), RetryableTransient, Code.NETWORK),
        (httpcore2.RemoteProtocolError("cut"), RetryableTransient, Code.NETWORK),
        (httpcore2.ConnectTimeout(), RetryableTransient, Code.TIMEOUT),
        (httpcore2.ReadTimeout(), RetryableTransient, Code.TIMEOUT),
        (httpcore2.PoolTimeout(), RetryableTransient, Code.TIMEOUT),
        (httpcore2.LocalProtocolError("Illegal header value b'canary'"), ValidationFailure, Code.INVALID),
        (httpcore2.UnsupportedProtocol(), ValidationFailure, Code.INVALID),
        (httpx2.ConnectError("refused"), RetryableTransient, Code.NETWORK),
        (httpx2.ProxyError("proxy"), RetryableTransient, Code.NETWORK),
        (httpx2.RemoteProtocolError("cut"), RetryableTransient, Code.NETWORK),
        (httpx2.ReadTimeout("slow"), RetryableTransient, Code.TIMEOUT),
        (httpx2.LocalProtocolError("canary"), ValidationFailure, Code.INVALID),
        (httpx2.UnsupportedProtocol("ftp"), ValidationFailure, Code.INVALID),
        (httpx2.InvalidURL("canary"), ValidationFailure, Code.INVALID),
        (httpx2.DecodingError("zlib"), ValidationFailure, Code.INVALID_VALUE),
        (httpx2.TooManyRedirects("round"), ValidationFailure, Code.REFUSED),
        (
            httpx2.HTTPStatusError("no", request=REQUEST, response=httpx2.Response(404)),
            ValidationFailure,
            Code.NOT_FOUND,
        ),
    ],
)
def test_what_the_library_raises_has_its_place_in_the_family(
    error: Exception, kind: type[WindrowError], code: Code
) -> None:
    ours = classify(error)

    assert isinstance(ours, kind)
    assert ours.code is code
    assert str(ours)
    assert "canary" not in str(ours)


@pytest.mark.parametrize("library", [httpx2, httpcore2])
def test_no_exception_of_the_library_is_unknown(library: object) -> None:
    names = [name for name in dir(library) if name.endswith(("Error", "Timeout", "TimeoutException"))]
    transport = (httpx2.TransportError, httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError)
    kinds = [kind for name in names if issubclass(kind := getattr(library, name), transport)]

    assert kinds
    assert [kind for kind in kinds if classify(kind("x")).code is Code.UNKNOWN] == []
