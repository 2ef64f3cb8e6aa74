"""What a caller asks for, checked and made into the first request."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict
from urllib.parse import urlencode

import httpx2
import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.http.headers import Auth, Headers, Secret
from windrow.http.hops import SAFE, Hop, hop
from windrow.http.policy import HttpPolicy, Limits

_METHOD = re.compile(r"[A-Z]{1,16}", re.ASCII)
Scalar = str | int | float | bool | None
Params = Mapping[str, Scalar | Sequence[Scalar]]


class Options(TypedDict, total=False):
    """What a request may say beside its method and address.

    accept         media types that are wanted; another one is an error. `application/json` includes `…+json`
    accept_status  statuses that are answers to the caller, beside 2xx, and 304 where an etag was given
    etag           answer 304 if this is still the current version
    json, form, body   what is sent; one of them
    auth           proves who we are to the origin of this request, in place of the client's own
    idempotent     this request may be sent twice (GET, HEAD and OPTIONS always may)
    timeout        seconds for the whole call, in place of the policy's
    limits         how much is taken in, in place of the policy's
    """

    headers: Headers
    params: Params
    accept: tuple[str, ...]
    accept_status: Collection[int]
    etag: str | None
    json: Any
    form: Mapping[str, str | Secret]
    body: bytes
    auth: Auth | None
    idempotent: bool
    timeout: float
    limits: Limits


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its first request and what counts as an answer."""

    hop: Hop
    auth: Auth | None
    accept: tuple[str, ...]
    accept_status: frozenset[int]
    idempotent: bool
    timeout: float
    limits: Limits
    # sent in the body, so they do not appear among the headers
    secrets: tuple[str, ...] = ()

    def accepts(self, status: int) -> bool:
        """Whether this status is an answer to the caller."""
        return 200 <= status < 300 or status in self.accept_status

    def accepts_kind(self, media_type: str) -> bool:
        """Whether a body of this type was asked for. One without a type is given the benefit of the doubt."""
        return not self.accept or not media_type or any(_matches(wanted, media_type) for wanted in self.accept)

    def may_repeat(self, at: Hop) -> bool:
        """Whether sending this request twice does no harm."""
        return self.idempotent or at.method in SAFE


def call(method: str, url: httpx2.URL, auth: Auth | None, policy: HttpPolicy, options: Options, coding: str) -> Call:
    """The call that the options describe."""
    if not _METHOD.fullmatch(method) or method in ("CONNECT", "TRACE"):
        raise ValidationFailure(f"{method[:20]!r} is not a method we send", code=Code.INVALID, hint="use GET, POST, …")
    etag = options.get("etag")
    content_type, body = _body(options)
    headers: Headers = {
        "user-agent": policy.user_agent,
        "accept": ", ".join(options.get("accept", ())) or "*/*",
        **content_type,
        **({"if-none-match": etag} if etag else {}),
        **_lowered(options.get("headers", {})),
    }
    first = hop(method, _with_params(url, options.get("params", {})), headers, body)
    return Call(
        hop=replace(first, headers={**first.headers, "accept-encoding": coding}),
        auth=auth,
        accept=options.get("accept", ()),
        accept_status=frozenset(options.get("accept_status", ())) | ({304} if etag else set()),
        idempotent=options.get("idempotent", False),
        timeout=options.get("timeout", policy.timeouts.total),
        limits=options.get("limits", policy.limits),
        secrets=tuple(value.reveal() for value in options.get("form", {}).values() if not isinstance(value, str)),
    )


def _lowered(headers: Headers) -> Headers:
    # one spelling a name, so that the caller's `accept` takes the place of ours
    return {name.lower(): value for name, value in headers.items()}


def _body(options: Options) -> tuple[dict[str, str], bytes | None]:
    given = [name for name in ("json", "form", "body") if options.get(name) is not None]
    if len(given) > 1:
        raise ValidationFailure(f"a request has one body, not {' and '.join(given)}", code=Code.INVALID)
    if "json" in given:
        return {"content-type": "application/json"}, msgspec.json.encode(options["json"])
    if "form" in given:
        fields = {name: value if isinstance(value, str) else value.reveal() for name, value in options["form"].items()}
        return {"content-type": "application/x-www-form-urlencoded"}, urlencode(fields).encode("ascii")
    return {}, options.get("body")


def _with_params(url: httpx2.URL, params: Params) -> httpx2.URL:
    given: dict[str, Any] = {name: value for name, value in params.items() if value is not None}
    return url.copy_merge_params(given) if given else url


def _matches(wanted: str, media_type: str) -> bool:
    wanted = wanted.partition(";")[0].strip().lower()
    if wanted in ("*/*", media_type):
        return True
    if wanted == "application/json":
        return media_type.endswith("+json")
    return wanted.endswith("/*") and media_type.startswith(wanted[:-1])
