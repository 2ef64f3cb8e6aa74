"""Who we are: an API token with the address of its owner, or an OAuth or personal access token by itself."""

import base64

from windrow.connectors.context import Context
from windrow.http.headers import Headers
from windrow.vault import Secret


class Proof:
    """The headers that prove it; read anew at each use, so that a credential that was rotated is picked up."""

    def __init__(self, context: Context, email: str | None) -> None:
        self._context, self._email = context, email

    async def __call__(self, *, refused: bool = False) -> Headers:  # noqa: ARG002 - the vault keeps nothing refused
        credential = await self._context.credential()
        if credential is None:
            return {}
        value = credential.reveal()
        if self._email is None and ":" not in value:
            return {"authorization": Secret(f"Bearer {value}")}
        pair = value if self._email is None else f"{self._email}:{value}"
        return {"authorization": Secret("Basic " + base64.b64encode(pair.encode()).decode("ascii"))}
