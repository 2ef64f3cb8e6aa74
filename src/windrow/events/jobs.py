"""`/jobs`: a media job is submitted, once for each idempotency key, and looked at with all that befell it."""

import re
import uuid
from dataclasses import asdict
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.media import reading, rows
from windrow.media.announcing import Topics
from windrow.media.job import ClipWish, MediaJob
from windrow.media.submission import Submission, media_of
from windrow.media.submitting import submit
from windrow.postgres import Database, Transaction, idempotency
from windrow.web.bodies import as_json, read_json
from windrow.web.doorkeeper import Doorkeeper
from windrow.web.limits import ServerLimits
from windrow.web.principal import Principal, Role

_KEY = re.compile(r"[!-~]{1,200}", re.ASCII)


class Asked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a client asks for. Without a `type`, the URL tells it; without a `request_id`, one is made."""

    url: str
    type: str | None = None
    request_id: str | None = None
    job_id: str | None = None
    clip: ClipWish | None = None

    def submission(self) -> Submission:
        request_id = self.request_id if self.request_id is not None else uuid.uuid4().hex
        return Submission(media=media_of(self.url, self.type), request_id=request_id, clip=self.clip)


class JobAddresses:
    """The handlers."""

    def __init__(self, database: Database, topics: Topics, limits: ServerLimits) -> None:
        self._database, self._topics, self._limits = database, topics, limits

    def routes(self, door: Doorkeeper) -> list[Route]:
        return [
            Route("/jobs", door.admits(Role.WRITER, self.submit), methods=["POST"]),
            Route("/jobs/{job_id}", door.admits(Role.READER, self.show), methods=["GET"]),
        ]

    async def submit(self, request: Request, principal: Principal) -> Response:
        key = _idempotency_key(request)
        asked = await read_json(
            request,
            Asked,
            most=self._limits.json_bytes,
            idle_seconds=self._limits.idle_seconds,
            seconds=self._limits.json_seconds,
        )
        scope = principal.scope
        async with self._database.tenant(scope.tenant_id) as tx:
            told = await self._once(tx, scope, key, asked)
        return as_json(told, 201, {"location": f"/jobs/{told['jobId']}"})

    async def show(self, request: Request, principal: Principal) -> Response:
        job_id = request.path_params["job_id"]
        async with self._database.tenant(principal.scope.tenant_id) as tx:
            found = await rows.get(tx, job_id)
            befell = await reading.timeline(tx, job_id)
        if found.project_id != principal.scope.project_id:
            raise ValidationFailure("the job is of another project", code=Code.NOT_FOUND)
        return as_json(document(found) | {"timeline": [asdict(one) for one in befell]})

    async def _once(self, tx: Transaction, scope: Scope, key: str | None, asked: Asked) -> dict[str, Any]:
        async def act() -> dict[str, Any]:
            return document(await submit(tx, scope, asked.submission(), topics=self._topics, job_id=asked.job_id))

        if key is None:
            return await act()
        request = msgspec.to_builtins(asked) | {"project": scope.project_id}
        answered = await idempotency.once(tx, f"media.submit/{key}", request, act)
        told: dict[str, Any] = answered.value
        return told


def document(job: MediaJob) -> dict[str, Any]:
    """A job as clients see it, and as it is in its object."""
    told: dict[str, Any] = msgspec.to_builtins(job.job)
    return told


def _idempotency_key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise ValidationFailure(
            "the idempotency key is not 1 to 200 printable characters without spaces",
            code=Code.INVALID,
            hint="send a UUID in Idempotency-Key",
        )
    return key
