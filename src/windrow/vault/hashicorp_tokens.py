"""Tokens of a HashiCorp Vault: got once, prolonged when two thirds of their time are over, got anew when that fails."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError, classify
from windrow.vault.hashicorp_door import Door
from windrow.vault.secret import Secret

Clock = Callable[[], float]
# the operator's own secret, read where the settings say; anew where what it gave was refused
ReadOwn = Callable[[bool], Awaitable[Secret]]


@dataclass(frozen=True, slots=True)
class Lease:
    """A token, how many seconds it still has (endless: infinite), and whether Vault would prolong it."""

    token: Secret
    seconds: float
    renewable: bool


class Identity(Protocol):
    """Who we are to the Vault."""

    async def enter(self, door: Door, *, anew: bool) -> Lease:
        """A token; `anew` after one was refused."""


@dataclass(frozen=True, slots=True)
class OwnToken:
    """A token that the operator has made."""

    read: ReadOwn

    async def enter(self, door: Door, *, anew: bool) -> Lease:
        token = await self.read(anew)
        return await asyncio.to_thread(_looked_up, door, token)


@dataclass(frozen=True, slots=True)
class AppRole:
    """A role that logs in with its secret id."""

    role_id: str
    read: ReadOwn
    mount: str = "approle"

    async def enter(self, door: Door, *, anew: bool) -> Lease:
        secret_id = await self.read(anew)
        return await asyncio.to_thread(_logged_in, door, self, secret_id)


class Tokens:
    """The token of one process, for all who read at once."""

    def __init__(self, door: Door, identity: Identity, clock: Clock = time.monotonic) -> None:
        self._door, self._identity, self._clock = door, identity, clock
        self._entering = asyncio.Lock()
        self._lease: Lease | None = None
        self._renew_at = math.inf

    async def valid(self) -> Secret:
        """A token that, for all we know, is accepted."""
        async with self._entering:
            if self._lease is None:
                return self._kept(await self._identity.enter(self._door, anew=False))
            if self._clock() >= self._renew_at:
                return self._kept(await self._prolonged(self._lease))
            return self._lease.token

    async def another(self, refused: Secret) -> Secret | None:
        """A token in place of one that was refused; None where there is none other to be had."""
        async with self._entering:
            if self._lease is not None and self._lease.token != refused:
                return self._lease.token
            token = self._kept(await self._identity.enter(self._door, anew=True))
            return token if token != refused else None

    async def _prolonged(self, lease: Lease) -> Lease:
        if lease.renewable:
            try:
                return await asyncio.to_thread(_renewed, self._door, lease.token)
            except (Fatal, ValidationFailure):
                # it has run out, or has reached an age beyond which nothing is prolonged
                pass
        return await self._identity.enter(self._door, anew=True)

    def _kept(self, lease: Lease) -> Secret:
        self._lease = lease
        self._renew_at = self._clock() + lease.seconds * 2 / 3
        return lease.token


def _looked_up(door: Door, token: Secret) -> Lease:
    try:
        with door.client(token) as (client, _):
            said = _asked(client.auth.token.lookup_self)["data"]
    except Fatal as error:
        if error.code is not Code.FORBIDDEN:
            raise
        # it may not even ask about itself; whether it is any good is seen when it is used
        return Lease(token, math.inf, False)
    return Lease(token, float(said.get("ttl") or math.inf), bool(said.get("renewable")))


def _renewed(door: Door, token: Secret) -> Lease:
    with door.client(token) as (client, _):
        return _lease(_asked(client.auth.token.renew_self))


def _logged_in(door: Door, role: AppRole, secret_id: Secret) -> Lease:
    with door.client() as (client, _):
        try:
            said = _asked(
                lambda: client.auth.approle.login(
                    role_id=role.role_id, secret_id=secret_id.reveal(), use_token=False, mount_point=role.mount
                )
            )
        except ValidationFailure:
            raise Fatal(
                "Vault refuses the role or its secret id",
                code=Code.UNAUTHORIZED,
                hint="check WINDROW_VAULT_ROLE_ID, and renew what WINDROW_VAULT_SECRET_ID_REF names",
            ) from None
    return _lease(said)


def _lease(said: Any) -> Lease:
    given = said["auth"]
    return Lease(
        Secret(given["client_token"]), float(given.get("lease_duration") or math.inf), bool(given.get("renewable"))
    )


def _asked(call: Callable[[], Any]) -> Any:
    try:
        answer = call()
    except WindrowError:
        raise
    except Exception as error:
        raise classify(error) from None
    if not isinstance(answer, dict):
        raise Fatal(
            "what answers at WINDROW_VAULT_ADDRESS is no Vault", code=Code.CONFIGURATION, hint="check the address"
        )
    return answer
