"""Style, script and icon: a few files, read once, and kept by browsers for as long as they stay the same."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file, and the version that follows from what is in it."""

    content: bytes
    media_type: str
    version: str


class Static:
    """Serves the files beside here; nothing else has an address."""

    def __init__(self) -> None:
        folder = files(__package__).joinpath("static")
        self._assets = {
            entry.name: _asset(entry.name, entry.read_bytes())
            for entry in folder.iterdir()
            if entry.name.rpartition(".")[2] in _KINDS
        }

    def url(self, name: str) -> str:
        """Where a page finds it: another version has another address."""
        return f"/static/{name}?v={self._assets[name].version}"

    async def serve(self, request: Request) -> Response:
        found = self._assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        kept = _FOREVER if request.query_params.get("v") == found.version else "no-cache"
        headers = {"cache-control": kept, "etag": f'"{found.version}"'}
        return Response(found.content, 200, headers, media_type=found.media_type)


def _asset(name: str, content: bytes) -> Asset:
    return Asset(content, _KINDS[name.rpartition(".")[2]], hashlib.sha256(content).hexdigest()[:16])
