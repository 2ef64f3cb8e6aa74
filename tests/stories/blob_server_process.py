"""The HTTP application in a process of its own that dies, without a word, at the moment it is told to.

python blob_server_process.py HOME DATABASE_URL MOMENT
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from windrow.blobs import Blob, Blobs
from windrow.console.application import application
from windrow.console.blobs import announce
from windrow.contracts.scope import Scope
from windrow.objects.local import LocalObjects
from windrow.objects.signing import SigningKey, UrlSigner
from windrow.postgres import Database, Transaction
from windrow.web.kept_secret import kept_secret
from windrow.web.limits import ServerLimits
from windrow.web.local_token import LocalToken
from windrow.web.principal import Principal, Role
from windrow.web.server import bind, door_of, names_of, serving

KEY = SigningKey("k", b"thirty-two bytes of a signing key")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Doomed(Blobs):
    """Dies where the bytes are written and no row names them yet."""

    async def _settle(self, *_: object) -> bool:
        die()
        return True


async def dying(tx: Transaction, blob: Blob) -> None:
    """Dies inside the transaction that links."""
    die()


async def main(home: Path, database_url: str, moment: str) -> None:
    listening = bind("127.0.0.1", 0)
    door = door_of(listening)
    signer = UrlSigner(f"http://{door}/objects", [KEY])
    async with Database(database_url) as database:
        objects = LocalObjects(home / "objects", signer)
        kind = Doomed if moment == "before-the-row" else Blobs
        blobs = kind(database, objects, dying if moment == "before-the-link" else announce)
        principal = Principal(Scope("acme", "main"), (Role.ADMIN,), "anna", "test")
        app = application(
            blobs, LocalToken(kept_secret(home / "token"), principal), hosts=names_of(listening), signer=signer
        )
        async with serving(app, listening, ServerLimits()):
            sys.stdout.write(f"{door}\n")
            sys.stdout.flush()
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
