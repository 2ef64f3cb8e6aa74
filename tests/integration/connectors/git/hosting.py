"""A host of repositories on loopback: the real `git http-backend` behind our own web server, or plain files."""

import asyncio
import base64
import os
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.web import Exchange, Web, answer

BACKEND = Path("/usr/lib/git-core/git-http-backend")


@dataclass
class Host(Web):
    """Serves repositories below `root`; with `login`, only to whoever knows it."""

    root: Path = Path("/")
    login: str | None = None

    def serves(self, name: str) -> str:
        """As forges do; the address of the repository."""
        for part in ("info/refs", "git-upload-pack"):
            self.on(f"/{name}/{part}", self._backend)
        return self.url(f"/{name}")

    def serves_files(self, name: str) -> str:
        """As any web server would, after `git update-server-info`."""
        for file in (self.root / name).rglob("*"):
            if file.is_file():
                self.on(f"/{name}/{file.relative_to(self.root / name)}", answer(200, file.read_bytes()))
        return self.url(f"/{name}")

    async def _backend(self, exchange: Exchange) -> None:
        request = exchange.request
        if self.login and request.headers.get("authorization") != basic(self.login):
            await exchange.send(answer(401, b"who are you?", {"www-authenticate": "Basic realm=x"}))
            return
        process = await asyncio.create_subprocess_exec(
            str(BACKEND), env=self._env(exchange), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate(request.body)
        head, _, body = said.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        await exchange.send(answer(status, body, headers))

    def _env(self, exchange: Exchange) -> dict[str, str]:
        request = exchange.request
        return {
            "PATH": os.defpath,
            "GIT_CONFIG_NOSYSTEM": "1",
            # what is served belongs to whoever runs the tests
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path,
            "QUERY_STRING": request.target.partition("?")[2],
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": request.headers.get("content-length", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
        }


def basic(pair: str) -> str:
    return "Basic " + base64.b64encode(pair.encode()).decode()
