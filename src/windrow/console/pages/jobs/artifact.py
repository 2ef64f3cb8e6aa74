"""`/jobs/{job_id}/artifact`: what a job has made, to be played on our own pages or saved.

It goes through this server and not by a signed URL: the policy of our pages lets media come from here alone, whatever kind of
store there is; who may see it is asked each time; and no address that opens it without a session can be handed on.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from windrow.console.pages.desk import Desk
from windrow.console.pages.jobs.found import found
from windrow.console.session import Visit
from windrow.console.stretch import Stretch, Unsatisfiable, asked_for
from windrow.console.watching import watching
from windrow.contracts.errors import Code, Fatal
from windrow.jobs.job import Job
from windrow.jobs.running import Artifact
from windrow.objects import ObjectStore, Reader
from windrow.web.problem import Refusal

# what a browser plays; anything else is only saved, whatever it says it is
PLAYED = {"mp4": "video/mp4", "webm": "video/webm", "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg"}
_OCTETS = "application/octet-stream"


def suffix_of(artifact: Artifact) -> str:
    """By which we tell what it is: not by what the store was told."""
    return artifact.key.rpartition("/")[2].rpartition(".")[2].lower()


class Artifacts:
    """Given piece by piece, to those who may see the job."""

    def __init__(self, desk: Desk) -> None:
        self._database, self._blobs = desk.database, desk.blobs

    async def give(self, visit: Visit) -> Response:
        async with self._database.tenant(visit.principal.scope.tenant_id) as tx:
            job = await found(tx, visit)
        artifact = artifact_of(job)
        if artifact is None:
            raise Refusal(
                404,
                f"job {job.job_id} has made nothing: it is {job.status}",
                code=Code.NOT_FOUND,
                hint="its page tells more",
            )
        headers = _headers(job, artifact)
        asked = visit.request.headers
        if headers["etag"] in asked.get("if-none-match", ""):
            return Response(None, 304, {name: headers[name] for name in ("etag", "cache-control")})
        try:
            part = asked_for(asked, artifact.size, headers["etag"])
        except Unsatisfiable:
            return Response(None, 416, {"content-range": f"bytes */{artifact.size}"})
        store = self._blobs.objects.for_tenant(visit.principal.scope.tenant_id)
        return Pieces(store, artifact, part, headers)


def artifact_of(job: Job) -> Artifact | None:
    """What the job's row names, if it names anything."""
    if job.artifact is None:
        return None
    named = job.artifact
    return Artifact(named["key"], named["size"], named["sha256"], named.get("details") or {})


def _headers(job: Job, artifact: Artifact) -> dict[str, str]:
    suffix = suffix_of(artifact)
    # the hash that the row names: whoever has these bytes need not ask for them again
    headers = {"etag": f'"{artifact.sha256}"', "accept-ranges": "bytes", "cache-control": "private, no-cache"}
    if suffix not in PLAYED:
        return headers | {"content-type": _OCTETS, "content-disposition": "attachment"}
    name = f"{job.kind}-{job.job_id}.{suffix}"
    return headers | {"content-type": PLAYED[suffix], "content-disposition": f'inline; filename="{name}"'}


class Pieces(Response):
    """An object's bytes, or a part of them, as fast as they are taken."""

    def __init__(self, store: ObjectStore, artifact: Artifact, part: Stretch | None, headers: dict[str, str]) -> None:
        self._store, self._artifact = store, artifact
        self._stretch = part or Stretch(0, artifact.size)
        told = {"content-length": str(self._stretch.length)}
        if part:
            told["content-range"] = f"bytes {part.start}-{part.end - 1}/{artifact.size}"
        super().__init__(None, 206 if part else 200, headers | told)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._store.open_reader(self._artifact.key, start=self._stretch.start) as reader:
            if reader.head.size != self._artifact.size:
                raise Fatal(f"the object {self._artifact.key!r} is not the one that the job named", code=Code.CORRUPTED)
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                async with watching(receive) as left, aclosing(_first(reader, self._stretch.length)) as pieces:
                    async for piece in pieces:
                        if left.done():
                            raise ClientDisconnect
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _first(reader: Reader, length: int) -> AsyncGenerator[bytes, None]:
    async for piece in reader:
        yield piece[:length]
        length -= len(piece)
        if length <= 0:
            return
