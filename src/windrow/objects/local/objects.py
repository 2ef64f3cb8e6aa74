"""All tenants' objects below one directory."""

from datetime import timedelta
from pathlib import Path

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.objects.keys import OWN
from windrow.objects.local.draft import sweep
from windrow.objects.local.driver import LocalDriver
from windrow.objects.local.tree import Tree
from windrow.objects.signing import UrlSigner, signing_for, unsigned
from windrow.objects.store import ObjectStore
from windrow.objects.threads import in_thread
from windrow.telemetry import emit


class LocalObjects:
    """A directory of this machine. It is made when the first object is put, readable by its owner alone."""

    def __init__(
        self, root: Path, signer: UrlSigner | None = None, *, patience: timedelta = timedelta(seconds=10)
    ) -> None:
        self._root, self._signer = root, signer
        # whoever holds a lock names a file; only a stopped process takes longer than this
        self._patience = patience.total_seconds()

    def for_tenant(self, tenant_id: str) -> ObjectStore:
        tree = self._tree(checked_name("tenant", tenant_id))
        return ObjectStore(LocalDriver(tree, signing_for(self._signer, tenant_id)))

    def own(self) -> ObjectStore:
        return ObjectStore(LocalDriver(self._tree(OWN), unsigned))

    def undivided(self) -> ObjectStore:
        """The directory as one store: for one that belongs to one tenant. No URLs are signed, since those name a tenant."""
        return ObjectStore(LocalDriver(self._tree(None), unsigned))

    async def tenants(self) -> list[str]:
        """Those that have a directory here."""
        return await in_thread(self._tenants)

    async def sweep(self) -> int:
        """Remove the unfinished files of processes that died; called when a process starts. How many there were."""
        swept = await in_thread(self._sweep)
        if swept:
            emit("objects.swept", files=swept)
        return swept

    def _sweep(self) -> int:
        return sum(sweep(self._tree(name)) for name in self._tenants())

    def _tenants(self) -> list[str]:
        found = self._root.iterdir() if self._root.is_dir() else ()
        return sorted(folder.name for folder in found if _is_tenant(folder.name))

    def _tree(self, tenant_id: str | None) -> Tree:
        return Tree(self._root, tenant_id, self._patience)


def _is_tenant(name: str) -> bool:
    try:
        checked_name("tenant", name)
    except ValidationFailure:
        return False
    return True
