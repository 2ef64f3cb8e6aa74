"""The folders, lent to the other machines: in the connector's notes, for as many as these can hold.

A worker that goes on where another has stopped would otherwise not know them. Two notes, since the folders change less
often than the place in the history at which they are so.
"""

import base64
import hashlib
import zlib
from typing import Any

import msgspec

from windrow.connectors.context import Notes
from windrow.connectors.onedrive.archive import Forest
from windrow.connectors.onedrive.folders import Folder, Tree

# about ten thousand folders; beyond that other machines have to ask for them
LARGEST = 512 * 1024
# what a hostile note would unfold to
_MOST_UNFOLDED = 64 * 1024 * 1024
_PLACE, _FOLDERS = "place", "folders"

_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(dict[str, dict[str, Folder]]).decode


async def lend(notes: Notes, place: str, forest: Forest) -> None:
    """Note the folders as they are at a place, if they are not noted yet."""
    content = _encode({drive: tree.folders for drive, tree in forest.items()})
    told = {"place": place, "folders": hashlib.sha256(content).hexdigest()[:16]}
    known = await notes.get(_PLACE)
    if known == told:
        return
    if not isinstance(known, dict) or known.get("folders") != told["folders"]:
        packed = base64.b85encode(zlib.compress(content)).decode("ascii")
        if len(packed) > LARGEST:
            return
        await notes.put(_FOLDERS, {"folders": told["folders"], "packed": packed})
    await notes.put(_PLACE, told)


async def borrow(notes: Notes, place: str) -> Forest | None:
    """The folders as they were at a place; None where nobody has noted them."""
    known, noted = await notes.get(_PLACE), await notes.get(_FOLDERS)
    if not isinstance(known, dict) or not isinstance(noted, dict):
        return None
    if known.get("place") != place or known.get("folders") != noted.get("folders"):
        return None
    return _unpacked(noted.get("packed"))


def _unpacked(packed: Any) -> Forest | None:
    try:
        content = zlib.decompressobj().decompress(base64.b85decode(packed), _MOST_UNFOLDED)
        return {drive: Tree(folders) for drive, folders in _decode(content).items()}
    except (ValueError, TypeError, zlib.error, msgspec.MsgspecError):
        return None
