"""The I/O of one event and nothing else: one call to YouTube, one transaction, two objects written and one removed.

The objects are written twice over: through the store that the worker writes them with, and as plain files. The store promises
more than a file does (one of many writers wins, the way to a new folder is durable too), and that is no cost of handling.
"""

import json
import os
from pathlib import Path
from typing import Any, Protocol

import httpx2
from psycopg import AsyncConnection

TABLES = """
CREATE TABLE IF NOT EXISTS bare_jobs (id text PRIMARY KEY, stage text NOT NULL, snapshot jsonb);
CREATE TABLE IF NOT EXISTS bare_events (id text, number int, at timestamptz DEFAULT now(), PRIMARY KEY (id, number));
CREATE TABLE IF NOT EXISTS bare_messages (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic text, payload jsonb);
"""
MESSAGES = ("media.work", "media.events", "media.events")


class Disk(Protocol):
    """Where objects are written: keys to bytes."""

    async def put(self, key: str, data: bytes) -> object: ...
    async def delete(self, key: str) -> None: ...


class Bare:
    """Does by hand what an event asks for."""

    def __init__(self, connection: AsyncConnection[Any], http: httpx2.AsyncClient, disk: Disk) -> None:
        self._connection, self._http, self._disk = connection, http, disk

    async def prepare(self, job_id: str) -> None:
        """A job that waits: its row and its object."""
        await self._connection.execute("INSERT INTO bare_jobs (id, stage) VALUES (%s, 'Queued')", [job_id])
        await self._connection.commit()
        await self._disk.put(f"bare/Queued/{job_id}.json", b"{}")

    async def handle(self, job_id: str, video_id: str) -> None:
        """The sum of it."""
        snapshot = await self._ask(video_id)
        await self._commit(job_id, snapshot)
        await self._disk.put(f"bare/Processing/{job_id}.json", snapshot.encode())
        await self._disk.put(f"bare/events/{job_id}.json", snapshot.encode())
        await self._disk.delete(f"bare/Queued/{job_id}.json")

    async def _ask(self, video_id: str) -> str:
        asked = {"part": "snippet,contentDetails,status,statistics", "id": video_id}
        answered = await self._http.get("/videos", params=asked, headers={"x-goog-api-key": "k"})
        return json.dumps(answered.json()["items"][0])

    async def _commit(self, job_id: str, snapshot: str) -> None:
        connection = self._connection
        await connection.execute(
            "UPDATE bare_jobs SET stage = 'MetadataReady', snapshot = %s WHERE id = %s AND stage = 'Queued'",
            [snapshot, job_id],
        )
        await connection.execute("INSERT INTO bare_events (id, number) VALUES (%s, 2)", [job_id])
        await connection.execute(
            "INSERT INTO bare_messages (topic, payload) SELECT topic, %s FROM unnest(%s::text[]) AS topic",
            [snapshot, list(MESSAGES)],
        )
        await connection.commit()


class Files:
    """Plain files: whole or not at all, and durable."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def put(self, key: str, data: bytes) -> None:
        write(self._directory / key, data)

    async def delete(self, key: str) -> None:
        path = self._directory / key
        path.unlink()
        sync(path.parent)


def write(path: Path, data: bytes) -> None:
    """Whole or not at all, and durable when it returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".draft")
    with aside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(path)
    sync(path.parent)


def sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
