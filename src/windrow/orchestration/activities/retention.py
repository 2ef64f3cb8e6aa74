"""What has been kept long enough."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from temporalio import activity

from windrow.contracts.errors import ValidationFailure
from windrow.orchestration import names
from windrow.orchestration.activities.beating import Beating


@dataclass(frozen=True, slots=True)
class RetentionActivities:
    """Each kind with what removes it."""

    purges: Mapping[str, Callable[[], Awaitable[int | None]]]

    @activity.defn(name=names.PURGE)
    async def purge(self, kind: str) -> int:
        """One bounded pass; how many are gone."""
        if kind not in self.purges:
            raise ValidationFailure(f"nothing of the kind {kind!r} is kept", hint=f"there are {', '.join(self.purges)}")
        return await Beating().during(self.purges[kind]) or 0
