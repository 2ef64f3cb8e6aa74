"""All tenants' objects below one directory."""

from datetime import timedelta
from pathlib import Path

from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.objects.local.draft import sweep
from windrow.objects.local.driver import LocalDriver
from windrow.objects.local.tree import Tree
from windrow.objects.signing import UrlSigner, signing_for
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

    async def sweep(self) -> int:
        """Remove the unfinished files of processes that died; called when a process starts. How many there were."""
        swept = await in_thread(self._sweep)
        if swept:
            emit("objects.swept", files=swept)
        return swept

    def _sweep(self) -> int:
        tenants = [folder.name for folder in self._root.iterdir()] if self._root.is_dir() else []
        return sum(sweep(self._tree(name)) for name in tenants if _is_tenant(name))

    def _tree(self, tenant_id: str) -> Tree:
        return Tree(self._root, tenant_id, self._patience)


def _is_tenant(name: str) -> bool:
    try:
        checked_name("tenant", name)
    except ValidationFailure:
        return False
    return True
