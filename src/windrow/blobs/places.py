"""Where a blob's objects lie.

uploads/BLOB              what an upload URL is for. In S3 the client writes it; it may do so again and again
blobs/ITEM/BLOB/ATTEMPT   what nobody has a URL to write: checked, then named by the row. The others are swept
"""

from uuid import UUID, uuid4

from windrow.blobs.blob import Blob

INCOMING = "uploads"


def incoming(blob_id: UUID) -> str:
    return f"{INCOMING}/{blob_id}"


def blob_awaited_at(key: str) -> UUID | None:
    """The blob that an upload to this key is for."""
    folder, _, name = key.partition("/")
    return _id(name) if folder == INCOMING else None


def blob_at(key: str) -> UUID | None:
    """The blob whose attempt this key is."""
    match key.split("/"):
        case ["blobs", _, name, _]:
            return _id(name)
    return None


def attempts(blob: Blob) -> str:
    """The folder in which the attempts at a blob lie."""
    return f"blobs/{blob.item_id}/{blob.blob_id}"


def new_attempt(blob: Blob) -> str:
    return f"{attempts(blob)}/{uuid4().hex}"


def _id(name: str) -> UUID | None:
    try:
        blob_id = UUID(name)
    except ValueError:
        return None
    # in its one spelling: a UUID may be written in several
    return blob_id if str(blob_id) == name else None
