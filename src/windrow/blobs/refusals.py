"""Why a blob is not taken, in our family."""

from uuid import UUID

from windrow.blobs.blob import Blob, State
from windrow.contracts.errors import Code, Conflict, ValidationFailure, WindrowError


def no_blob(blob_id: UUID) -> ValidationFailure:
    return ValidationFailure(f"there is no blob {blob_id}", code=Code.NOT_FOUND, hint="see `windrow blobs list`")


def no_item(item_id: UUID) -> ValidationFailure:
    return ValidationFailure(
        f"there is no item {item_id}", code=Code.NOT_FOUND, hint="harvest it first, and check the tenant and project"
    )


def item_gone(item_id: UUID) -> Conflict:
    return Conflict(
        f"the item {item_id} is gone from its source",
        code=Code.GONE,
        hint="nothing can be linked to it unless a harvest finds it again",
    )


def not_open(blob: Blob) -> WindrowError:
    """Why nothing more may be uploaded for a blob."""
    if blob.state is State.EXPIRED:
        return ValidationFailure(
            f"the blob {blob.blob_id} was not uploaded in time", code=Code.GONE, hint="request a new upload"
        )
    return Conflict(
        f"the blob {blob.blob_id} was uploaded already",
        code=Code.ALREADY_EXISTS,
        hint="an upload URL is good for one upload: request another for other bytes",
    )


def nothing_there(blob: Blob) -> Conflict:
    return Conflict(
        f"nothing was uploaded for the blob {blob.blob_id} yet",
        code=Code.NOT_FOUND,
        hint="send the bytes to the upload URL first",
    )


def too_large(most: int) -> ValidationFailure:
    return ValidationFailure(
        f"the upload has more than the {most} bytes that it may have",
        code=Code.TOO_LARGE,
        hint="announce its true size, and see WINDROW_BLOB_BYTES for the most that is taken",
    )


def other_bytes(what: str, announced: object, found: object) -> ValidationFailure:
    return ValidationFailure(
        f"the upload has the {what} {found}, but {announced} was announced",
        code=Code.INVALID_VALUE,
        hint="send the bytes that were announced, or request another upload",
    )
