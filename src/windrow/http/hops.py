"""One request on its way, and what becomes of it at a redirect. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx2

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.headers import Headers, secret_names, written
from windrow.http.policy import Timeouts
from windrow.http.urls import joined, origin_of, shown

REDIRECTS = frozenset({301, 302, 303, 307, 308})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Hop:
    """A request to one address. The names in `secret` are those of the headers that stay within their origin;
    `proven` says that headers of an `Auth` are among them.
    """

    method: str
    url: httpx2.URL
    headers: Mapping[str, str] = field(repr=False)
    secret: frozenset[str] = frozenset()
    body: bytes | None = field(default=None, repr=False)
    proven: bool = False

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secret values that go out with this request."""
        return tuple(self.headers[name] for name in sorted(self.secret) if name in self.headers)

    def proving(self, proof: Headers) -> "Hop":
        """The request with the headers that prove who we are, all of them secret."""
        headers = written(proof)
        return replace(self, headers={**self.headers, **headers}, secret=self.secret | frozenset(headers), proven=True)

    def request(self, timeouts: Timeouts) -> httpx2.Request:
        """The request as the transport takes it."""
        waits = {"connect": timeouts.connect, "read": timeouts.idle, "write": timeouts.idle, "pool": timeouts.queue}
        return httpx2.Request(
            self.method, self.url, headers=dict(self.headers), content=self.body, extensions={"timeout": waits}
        )


def hop(method: str, url: httpx2.URL, headers: Headers, body: bytes | None) -> Hop:
    """The first request of a call."""
    return Hop(method, url, written(headers), secret_names(headers), body)


def redirected(from_hop: Hop, status: int, location: str) -> Hop:
    """The request that a redirect asks for. Secrets stay behind when the origin changes, and do not come back."""
    url = joined(from_hop.url, location)
    if from_hop.url.scheme == "https" and url.scheme == "http":
        raise ValidationFailure(
            f"{shown(from_hop.url)} redirects to {shown(url)}, which is not encrypted",
            code=Code.REFUSED,
            hint="give the https address of what is wanted",
        )
    following = _with_method(from_hop, status)
    if origin_of(url) == origin_of(from_hop.url):
        return replace(following, url=url)
    kept = {name: value for name, value in following.headers.items() if name not in from_hop.secret}
    return replace(following, url=url, headers=kept, secret=frozenset(), proven=False)


def _with_method(from_hop: Hop, status: int) -> Hop:
    """303 means: look there instead. For 301 and 302 a POST becomes a GET too, as every client does; 307 and 308 repeat."""
    turned = status == 303 or (status in (301, 302) and from_hop.method == "POST")
    if not turned or from_hop.method in ("GET", "HEAD"):
        return from_hop
    headers = {name: value for name, value in from_hop.headers.items() if not name.startswith("content-")}
    return replace(from_hop, method="GET", body=None, headers=headers)
