"""Objects among the queued that are no jobs. Nobody but their owner can mend them, so each version of one is said once."""

from windrow.contracts.scope import Scope
from windrow.telemetry.catalogue import media as telemetry

# so many are remembered; those beyond are said again whenever they are looked at
_MOST = 20_000


class Unreadable:
    """What one process has found, by the version that it has read."""

    def __init__(self) -> None:
        self._known: dict[Scope, dict[str, str]] = {}

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Whose objects there are."""
        return tuple(self._known)

    def note(self, scope: Scope, job_id: str, etag: str) -> None:
        """This version was read, and is no job; it has been said."""
        if self._count() < _MOST or job_id in self._known.get(scope, {}):
            self._known.setdefault(scope, {})[job_id] = etag
        telemetry.UNREADABLE.set(self._count())

    def knows(self, scope: Scope, job_id: str, etag: str) -> bool:
        """Whether this version was said before."""
        return self._known.get(scope, {}).get(job_id) == etag

    def of(self, scope: Scope) -> set[str]:
        """The ids of those that are known of one tenant's project."""
        return {*self._known.get(scope, {})}

    def forget(self, scope: Scope, job_ids: set[str]) -> None:
        """They have left the folder."""
        left = {job_id: etag for job_id, etag in self._known.pop(scope, {}).items() if job_id not in job_ids}
        if left:
            self._known[scope] = left
        telemetry.UNREADABLE.set(self._count())

    def _count(self) -> int:
        return sum(map(len, self._known.values()))
