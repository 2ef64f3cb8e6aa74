"""How often a tenant, or a session, may call: a bucket of calls that fills again steadily. In this process; another has its
own."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from windrow.contracts.errors import Code
from windrow.telemetry.catalogue import console as telemetry
from windrow.web.principal import Authenticator, Principal
from windrow.web.problem import Refusal


@dataclass(frozen=True, slots=True)
class PaceLimits:
    """`burst` calls at once, `per_second` of them on the average; and how many callers are remembered."""

    per_second: float = 50.0
    burst: int = 200
    remembered: int = 10_000


class Pace:
    """Counts the calls of each caller, of the kind that `who` says. Forgets whoever called longest ago: his bucket is the fullest of all."""

    def __init__(self, limits: PaceLimits, *, who: str = "tenant", clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._who, self._clock = limits, who, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def step(self, caller: str) -> None:
        """One call; refused with the time to wait when the bucket is empty."""
        limits, now = self._limits, self._clock()
        left, since = self._buckets.pop(caller, (float(limits.burst), now))
        left = min(limits.burst, left + (now - since) * limits.per_second)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        if len(self._buckets) > limits.remembered:
            self._buckets.popitem(last=False)
        if not allowed:
            telemetry.HELD_BACK.add(1)
            raise Refusal(
                429,
                f"this {self._who} calls too often",
                code=Code.RATE_LIMITED,
                headers={"retry-after": str(max(1, math.ceil((1 - left) / limits.per_second)))},
                hint=f"wait as long as Retry-After says; {limits.per_second:g} calls a second are taken, {limits.burst} at once",
            )


class Paced:
    """Knows whose token it is as another does, and counts the call: also one that will be refused, and then written down."""

    def __init__(self, authenticator: Authenticator, pace: Pace) -> None:
        self._authenticator, self._pace = authenticator, pace

    async def principal_of(self, token: str) -> Principal | None:
        principal = await self._authenticator.principal_of(token)
        if principal is not None:
            self._pace.step(principal.scope.tenant_id)
        return principal
