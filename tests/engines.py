"""The engines of a test run: real, in a directory of their own, gone afterwards."""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from windrow.stack import UNSAFE_BUT_FAST, EmbeddedPostgres, EmbeddedTemporal, ExternalPostgres, Stack, StackConfig


class Engines:
    """Started when first asked for. WINDROW_TEST_DATABASE_URL names a server that runs already."""

    def __init__(self) -> None:
        self._running: tuple[asyncio.Runner, Stack, Path] | None = None

    def addresses(self) -> dict[str, str]:
        """Where they answer."""
        _, stack, _ = self._running = self._running or self._start()
        return {"database_url": stack.database_url, "temporal_address": stack.temporal_address}

    def stop(self) -> None:
        """End them and remove their data."""
        if self._running:
            runner, stack, directory = self._running
            runner.run(stack.stop())
            runner.close()
            shutil.rmtree(directory, ignore_errors=True)

    def _start(self) -> tuple[asyncio.Runner, Stack, Path]:
        directory = Path(tempfile.mkdtemp(prefix="windrow-tests-"))
        directory.chmod(0o711)  # root's engines run as another user, who must pass through
        given = os.environ.get("WINDROW_TEST_DATABASE_URL")
        postgres = (
            ExternalPostgres(given)
            if given
            else EmbeddedPostgres(settings={**UNSAFE_BUT_FAST, "max_connections": "300"})
        )
        runner = asyncio.Runner()
        stack = runner.run(Stack(StackConfig(directory / "home", postgres, EmbeddedTemporal())).start())
        return runner, stack, directory
