"""`/api/v1/endpoints/{name}/preview`: a sample of a source, without writing."""

from pydantic import BaseModel, ConfigDict, Field

from windrow import endpoints
from windrow.console.api.access import Writer
from windrow.console.api.behind import Here
from windrow.console.api.operation import resource
from windrow.console.api.wording import NamedEndpoint
from windrow.harvest.preview import MOST_ROWS, Bounds, Preview

router = resource("previews")

# whoever waits for an answer holds a connection open meanwhile
MOST_SECONDS = 60.0


class PreviewRequest(BaseModel):
    """How much is shown, and how long it may take."""

    model_config = ConfigDict(extra="forbid")

    rows: int = Field(Bounds().rows, ge=1, le=MOST_ROWS)
    seconds: float = Field(Bounds().seconds, ge=0.1, le=MOST_SECONDS, allow_inf_nan=False)


@router.post("/endpoints/{name}/preview")
async def taken(caller: Writer, here: Here, name: NamedEndpoint, said: PreviewRequest) -> Preview:
    """What a harvest would make of the source's first records; secrets are blanked out."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, caller.scope, name)
    return await here.ports.preview(endpoint, Bounds(rows=said.rows, seconds=said.seconds))
