"""`/endpoints/{name}/preview`: a sample of a source, as a run would take it in. Nothing is written."""

from starlette.responses import Response

from windrow import endpoints
from windrow.console.pages.desk import Desk
from windrow.console.pages.endpoints.form.writing import as_json
from windrow.console.pages.endpoints.listed import SEEK
from windrow.console.pages.endpoints.one import named
from windrow.console.pages.rendering import View
from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure, WindrowError
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview
from windrow.telemetry import redact

ROWS = (10, 20, 50, 100)


class Sampling:
    """The page, before a sample is taken and with it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def look(self, visit: Visit) -> View:
        return _view(await self._found(visit))

    async def take(self, visit: Visit) -> Response:
        """A source that cannot be read is an answer too, and no failure of ours."""
        endpoint = await self._found(visit)
        rows = _rows(visit.form.get("rows", ""))
        sample, failed = None, None
        try:
            sample = await self._desk.ports.preview(endpoint, Bounds(rows=rows))
        except WindrowError as error:
            failed = {"message": redact(error.message), "hint": error.hint}
        return self._desk.renderer.page(visit, _view(endpoint, rows, sample, failed))

    async def _found(self, visit: Visit) -> Endpoint:
        scope, name = visit.principal.scope, named(visit)
        async with self._desk.database.tenant(scope.tenant_id) as tx:
            return await endpoints.get(tx, scope, name)


def _rows(text: str) -> int:
    if text not in map(str, ROWS):
        raise ValidationFailure(
            f"a sample of {text[:20]!r} is refused", code=Code.INVALID_VALUE, hint=", ".join(map(str, ROWS))
        )
    return int(text)


def _view(
    endpoint: Endpoint,
    rows: int = Bounds().rows,
    sample: Preview | None = None,
    failed: dict[str, str | None] | None = None,
) -> View:
    context = {
        "it": endpoint,
        "rows": rows,
        "choices": ROWS,
        "seconds": Bounds().seconds,
        "sample": sample,
        "failed": failed,
        "pretty": as_json,
    }
    return View("endpoints/preview.html", f"Preview of {endpoint.endpoint_id}", "endpoints", context, seek=SEEK)
