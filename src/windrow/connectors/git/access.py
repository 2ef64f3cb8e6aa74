"""The way to a remote repository, checked before git takes it: address, credential, and that a repository is there.

Our own client asks first, as git would. So a private address, a refused credential, a limit or a login page is found and
told in our own words, and git's messages decide nothing. Git is then given the addresses that were checked: it resolves
no name itself and follows no redirect, so there is no second answer that could lead elsewhere.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from windrow.connectors.context import Context
from windrow.contracts.errors import Code, Fatal
from windrow.http import HttpPolicy
from windrow.http.addresses import Address, AddressRules, why_not_public
from windrow.http.headers import Headers
from windrow.http.resolving import permitted, system_resolve
from windrow.http.urls import checked_url, origin_of, port_of, shown
from windrow.vault import Secret

_SMART = "application/x-git-upload-pack-advertisement"
# what plain web servers call the list of refs
_DUMB = ("text/plain", "application/octet-stream")
_REFS = "/info/refs"
# a transfer slower than so many bytes a second, for so many seconds, is given up
_SLOW_BYTES, _SLOW_SECONDS = "1000", "60"


@dataclass(frozen=True, slots=True)
class Access:
    """What a fetch needs. The settings may hold a credential, and are passed by the environment."""

    url: str
    protocol: str
    object_format: str
    settings: Mapping[str, str] = field(repr=False)


class Proof:
    """The headers that prove who we are; read anew when they are not accepted."""

    def __init__(self, context: Context, username: str) -> None:
        self._context, self._username = context, username

    async def __call__(self, *, refused: bool = False) -> Headers:  # noqa: ARG002 - the vault keeps nothing refused
        credential = await self._context.credential()
        if credential is None:
            return {}
        value = credential.reveal()
        pair = value if ":" in value else f"{self._username}:{value}"
        return {"authorization": Secret("Basic " + base64.b64encode(pair.encode()).decode("ascii"))}


async def open_access(url: str, username: str, context: Context) -> Access:
    """Ask the other side whether there is a repository for us."""
    proof = Proof(context, username)
    base = checked_url(url.rstrip("/"))
    async with context.http(HttpPolicy(source="git")) as client:
        answer = await client.get(
            f"{base}{_REFS}",
            params={"service": "git-upload-pack"},
            headers={"git-protocol": "version=2"},
            accept=(_SMART, *_DUMB),
            auth=proof,
        )
        rules = AddressRules(client.policy.allow)
    at = _moved(base, checked_url(answer.url))
    settings = {
        "http.followRedirects": "false",
        "http.lowSpeedLimit": _SLOW_BYTES,
        "http.lowSpeedTime": _SLOW_SECONDS,
        "http.curloptResolve": await _pinned(at, rules),
    }
    for name, value in (await proof()).items():
        text = value if isinstance(value, str) else value.reveal()
        settings[f"http.{at.copy_with(path='/')}.extraHeader"] = f"{name}: {text}"
    object_format = "sha256" if b"object-format=sha256" in answer.body[:4096] else "sha1"
    return Access(str(at), at.scheme, object_format, settings)


def _moved(base: httpx2.URL, answered: httpx2.URL) -> httpx2.URL:
    """Where the repository is now. Forges redirect to its full name; to another origin nobody's credential goes."""
    path = answered.path
    if origin_of(base) == origin_of(answered) and path.endswith(_REFS):
        return answered.copy_with(path=path.removesuffix(_REFS), query=None)
    raise Fatal(
        f"{shown(base)} redirects to {shown(answered)}",
        code=Code.CONFIGURATION,
        hint="configure the address that it redirects to, if that is meant",
    )


async def _pinned(url: httpx2.URL, rules: AddressRules) -> str:
    """The host's addresses, each found to be permitted, in the form in which git takes them."""
    host, port = url.host, port_of(url)
    addresses = await permitted(host, port, rules, system_resolve)
    if url.scheme == "http" and any(why_not_public(address) is None for address in addresses):
        raise Fatal(
            f"{shown(url)} is not encrypted",
            code=Code.CONFIGURATION,
            hint="use https; plain http is for private addresses that the operator has allowed",
        )
    return f"{host}:{port}:{','.join(map(_bracketed, addresses))}"


def _bracketed(address: Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)
