"""A sample of an endpoint's dataset, from the settings to what a run would make of it."""

from collections.abc import Mapping

from windrow.app.outside import outside
from windrow.app.sources import aside, connected
from windrow.endpoints import Endpoint
from windrow.harvest.preview import Bounds, Preview, preview
from windrow.settings import Settings


async def previewed(settings: Settings, environment: Mapping[str, str], endpoint: Endpoint, bounds: Bounds) -> Preview:
    """Take the sample here and now; nothing is left behind."""
    async with outside(settings, environment) as beyond:
        with aside(
            settings,
            beyond.vault,
            endpoint.scope,
            endpoint_id=endpoint.endpoint_id,
            credential_ref=endpoint.credential_ref,
        ) as context:
            async with connected(endpoint, context) as connector:
                return await preview(connector, bounds)
