"""Why an item is gone: because the source said so, or because a whole listing did not show it."""

from datetime import datetime

from windrow.catalog.reading import Held
from windrow.postgres import Transaction, load

Q = load(__package__, "gone.sql")


async def missing_since(tx: Transaction, held: Held) -> datetime | None:
    """When the listing began in which the item was not any more; None if it was the source that told of its end."""
    item = held.item
    begun: datetime | None = await tx.value(
        Q.listing_without,
        project=item.project_id,
        endpoint=item.endpoint_id,
        run_id=item.provenance.run_id,
        observation=item.provenance.observation,
    )
    return begun
