"""The OpenAPI document, drawn from the operations."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from windrow.console.api.access import Reader
from windrow.console.api.operation import Operation, resource
from windrow.console.api.problems import Problem

REF = "#/components/schemas/{model}"
_ABOUT = """Everything that the command line does, for programs. Every call carries a bearer token; what it may do and see
follows from the token's tenant, project and role. Lists are read page by page (`next`, given as `page`). A write may carry an
`Idempotency-Key`: the same request again is answered as before, and not repeated."""

router = resource("document")


@router.get("/openapi.json", include_in_schema=False)
async def shown(caller: Reader) -> Response:  # noqa: ARG001 - says who may
    """This document."""
    return Response(_written(), media_type="application/json")


@cache
def _written() -> bytes:
    from windrow.console.api.operations import OPERATIONS  # which hold this one

    return msgspec.json.encode(document(OPERATIONS))


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """OpenAPI 3.1, with who may call each operation (`x-role`)."""
    drawn = get_openapi(title="Windrow", version="1", description=_ABOUT, routes=list(operations))
    _, known = models_json_schema([(Problem, "serialization")], ref_template=REF)
    components = drawn.setdefault("components", {})
    components.setdefault("schemas", {}).update(known["$defs"])
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    drawn["security"] = [{"token": []}]
    for each in operations:
        for method in (each.methods or ()) if each.include_in_schema else ():
            drawn["paths"][each.path_format][method.lower()]["x-role"] = each.role
    return drawn
