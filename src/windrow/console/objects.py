"""`/objects`: what signed URLs lead to, for the stores that Windrow serves itself. The URL is all that is asked for."""

from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from windrow.blobs import Blob, Blobs, State, places
from windrow.console.watching import watching
from windrow.contracts.errors import Code, Conflict, Fatal, ValidationFailure, WindrowError
from windrow.contracts.scope import Actor
from windrow.objects import Method
from windrow.objects.signing import UrlSigner
from windrow.telemetry import bound
from windrow.web.bodies import announced_length, check_plain, chunks
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.problem import Refusal

PATH = "/objects"
HOLDER = Actor("holder of a signed URL", "signed URL")


class ObjectAddresses:
    """Uploads and downloads, by whoever holds a URL that was signed for just that."""

    def __init__(self, blobs: Blobs, signer: UrlSigner, door: Doorkeeper, limits: ServerLimits) -> None:
        self._blobs, self._signer, self._door, self._limits = blobs, signer, door, limits

    def routes(self) -> list[Route]:
        path = f"{PATH}/{{tenant}}/{{key:path}}"
        return [Route(path, self.put, methods=["PUT"]), Route(path, self.get, methods=["GET"])]

    async def put(self, request: Request) -> Response:
        """Take an upload."""
        tenant, key, most = self._verified(request, Method.PUT)
        blob_id = places.blob_awaited_at(key)
        if blob_id is None:
            raise _refused("the signed URL is not for an upload")
        with bound(tenant_id=tenant):
            blob = await self._blobs.find(tenant, blob_id)
            _check_upload(request, blob, self._blobs.most(blob) if most is None else most)
            body = chunks(request, idle_seconds=self._limits.idle_seconds, seconds=self._limits.upload_seconds)
            try:
                done = await self._blobs.receive(tenant, blob_id, body, HOLDER, most=most)
            except Conflict as error:
                if error.code is Code.ALREADY_EXISTS:
                    await self._door.note_refusal(tenant, HOLDER, request, "the signed URL was used before")
                raise
        return JSONResponse({"blob_id": str(blob_id), "state": done.state, "size": done.size, "sha256": done.sha256})

    async def get(self, request: Request) -> Response:
        """Give a linked blob."""
        tenant, key, _ = self._verified(request, Method.GET)
        blob_id = places.blob_at(key)
        if blob_id is None:
            raise _refused("the signed URL is not for a blob")
        blob = await self._blobs.find(tenant, blob_id)
        if blob.state is not State.LINKED or blob.key != key:
            raise ValidationFailure("this is no blob's content", code=Code.NOT_FOUND, hint="ask for a new URL")
        return Content(self._blobs, blob)

    def _verified(self, request: Request, method: Method) -> tuple[str, str, int | None]:
        tenant, key = request.path_params["tenant"], request.path_params["key"]
        try:
            most = self._signer.verify(request.query_params.get("token", ""), tenant, key, method)
        except WindrowError as error:
            # also what is malformed: a stranger learns nothing from how it is refused
            raise _refused(error.message if error.code is Code.FORBIDDEN else "the signed URL is malformed") from None
        return tenant, key, most


class Content(Response):
    """A blob's bytes, piece by piece: to be saved, never to be shown by a browser as if it were ours."""

    def __init__(self, blobs: Blobs, blob: Blob) -> None:
        saved = f"attachment; filename*=UTF-8''{quote(blob.name, safe='')}" if blob.name else "attachment"
        # the type as it was announced: given as such, it would be completed by a character set that nobody knows of
        headers = {"content-type": blob.media_type, "content-disposition": saved, "content-length": str(blob.size)}
        super().__init__(None, 200, headers)
        self._blobs, self._blob = blobs, blob

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._blob.key, "a linked blob has a key"
        store = self._blobs.objects.for_tenant(self._blob.tenant_id)
        async with store.open_reader(self._blob.key) as reader:
            if reader.head.size != self._blob.size:
                raise Fatal(
                    f"the object of blob {self._blob.blob_id} is not the one that was linked", code=Code.CORRUPTED
                )
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                async with watching(receive) as left:
                    async for piece in reader:
                        if left.done():
                            raise ClientDisconnect
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _check_upload(request: Request, blob: Blob, most: int) -> None:
    """What the headers give away already, before a byte of the body is asked for."""
    check_plain(request)
    if "content-range" in request.headers:
        raise Refusal(400, "a part of an upload is not taken", code=Code.INVALID, hint="send it in one piece")
    said = request.headers.get("content-type")
    if said is not None and said.lower() != blob.media_type.lower():
        raise ValidationFailure(
            f"{said[:80]!r} was sent, but {blob.media_type!r} was announced",
            code=Code.CONTENT_TYPE,
            hint="send the headers that were given with the URL",
        )
    if (announced_length(request) or 0) > most:
        raise ValidationFailure(
            f"the upload has more than the {most} bytes that it may have",
            code=Code.TOO_LARGE,
            hint="request another upload with its true size",
        )


def _refused(message: str) -> Refusal:
    return Refusal(403, message, code=Code.FORBIDDEN, hint="ask for a new URL")
