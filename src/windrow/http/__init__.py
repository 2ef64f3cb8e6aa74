"""The one outbound HTTP client: addresses checked, sizes capped, limits respected, failures in our own words."""

from windrow.http.call import Options
from windrow.http.client import HttpClient
from windrow.http.courier import ClassifyResponse
from windrow.http.download import Download, Saved
from windrow.http.failures import HttpFailure, HttpForbidden, HttpLimited, HttpRefused, HttpUnavailable
from windrow.http.headers import Auth, Secret
from windrow.http.policy import HttpPolicy, Limits, RateLimit, Timeouts
from windrow.http.response import Redirect, Response
from windrow.http.retry_after import retry_after

__all__ = [
    "Auth",
    "ClassifyResponse",
    "Download",
    "HttpClient",
    "HttpFailure",
    "HttpForbidden",
    "HttpLimited",
    "HttpPolicy",
    "HttpRefused",
    "HttpUnavailable",
    "Limits",
    "Options",
    "RateLimit",
    "Redirect",
    "Response",
    "Saved",
    "Secret",
    "Timeouts",
    "retry_after",
]
