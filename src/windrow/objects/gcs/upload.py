"""Writing an object piece by piece: in one request if it turns out small, in parts if not."""

from collections.abc import Awaitable, Callable

from windrow.objects.gcs.bucket import Bucket
from windrow.objects.gcs.session import PART, Session


class Upload:
    """An object under way. What is written is held until there is a part of it."""

    def __init__(self, bucket: Bucket, session: Session, put: Callable[[bytes], Awaitable[str]]) -> None:
        self._bucket, self._session, self._put = bucket, session, put
        self._held = bytearray()

    async def write(self, data: bytes) -> None:
        self._held += data
        # one byte stays back, so that there is something to end with
        while len(self._held) > PART:
            await self._bucket.ask(self._session.send, bytes(self._held[:PART]))
            del self._held[:PART]

    async def commit(self) -> None:
        if self._session.is_begun:
            await self._bucket.ask(self._session.finish, bytes(self._held))
        else:
            await self._put(bytes(self._held))

    async def abort(self) -> None:
        await self._bucket.ask(self._session.cancel)
