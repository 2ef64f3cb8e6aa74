"""Objects that live as long as the process: for tests and demonstrations."""

from obstore.store import MemoryStore

from windrow.contracts.scope import checked_name
from windrow.objects.keys import OWN
from windrow.objects.obstore_driver import ObstoreDriver
from windrow.objects.signing import UrlSigner, signing_for, unsigned
from windrow.objects.store import ObjectStore


class MemoryObjects:
    """One store in memory, with a folder for each tenant."""

    def __init__(self, signer: UrlSigner | None = None) -> None:
        self._signer, self._store = signer, MemoryStore()

    def for_tenant(self, tenant_id: str) -> ObjectStore:
        place = checked_name("tenant", tenant_id)
        return ObjectStore(ObstoreDriver("memory", self._store, place, signing_for(self._signer, tenant_id)))

    def own(self) -> ObjectStore:
        return ObjectStore(ObstoreDriver("memory", self._store, OWN, unsigned))

    def undivided(self) -> ObjectStore:
        """All of it as one store, for which no URLs are signed: those name a tenant."""
        return ObjectStore(ObstoreDriver("memory", self._store, "", unsigned))

    async def sweep(self) -> int:
        return 0
