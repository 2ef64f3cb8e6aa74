"""Content of items: asked for, uploaded by a signed URL, checked, and linked.

    ticket = await blobs.request(wanted, actor)          # a row, and a URL good for a quarter of an hour
    …the client sends its bytes to ticket.url…
    blob = await blobs.complete(scope, ticket.blob.blob_id, actor)

docs/how-to/blobs.md shows it from outside; decision 11 tells why no URL ever writes the object that a row names.
"""

from windrow.blobs.blob import Blob, State, Ticket, Wanted
from windrow.blobs.flow import Announce, BlobLimits, Blobs
from windrow.blobs.sweep import sweep

__all__ = ["Announce", "Blob", "BlobLimits", "Blobs", "State", "Ticket", "Wanted", "sweep"]
