"""LISTEN/NOTIFY: one connection a process wakes all who wait. A wake-up is a hint; polling is the backstop."""

import asyncio
import random
from collections.abc import Mapping
from datetime import timedelta

import psycopg
from psycopg import AsyncConnection, sql

from windrow.contracts.errors import classify
from windrow.contracts.retry import RetryPolicy
from windrow.postgres import errors  # noqa: F401 - registers psycopg's exceptions with `classify`
from windrow.postgres.cancellation import is_cancelled
from windrow.postgres.queries import load
from windrow.telemetry import emit

Q = load(__package__, "session.sql")
_RECONNECT = RetryPolicy(timedelta(seconds=0.2), timedelta(seconds=10), attempts=None, spread=0.5)


class Wakeup:
    """Somebody's wait for one channel."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()

    async def wait(self, poll: float) -> bool:
        """Until the channel is notified, or the poll interval has passed; whether it was the former."""
        try:
            async with asyncio.timeout(poll):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return True


class Wakeups:
    """Listens on the channels that were asked for before `run`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._waiting: dict[str, list[Wakeup]] = {}
        self.listening = asyncio.Event()

    def on(self, channel: str) -> Wakeup:
        """A wake-up for the channel."""
        wakeup = Wakeup()
        self._waiting.setdefault(channel, []).append(wakeup)
        return wakeup

    async def run(self) -> None:
        """Listen until cancelled; a lost connection is made anew, and then everyone looks, since something may have been missed."""
        failures = 0
        while True:
            try:
                async with await AsyncConnection.connect(self._url, autocommit=True) as connection:
                    failures = 0
                    await self._listen(connection)
            except psycopg.Error as error:
                failures += 1
                delay = _RECONNECT.delay(failures, random.random()) or timedelta(0)  # noqa: S311 - jitter is no secret
                emit("wakeups.lost", code=classify(error).code, retry_in_seconds=delay.total_seconds())
                self.listening.clear()
                await asyncio.sleep(delay.total_seconds())

    async def _listen(self, connection: AsyncConnection) -> None:
        for channel in self._waiting:
            await connection.execute(sql.SQL(Q.listen.text.decode()).format(channel=sql.Identifier(channel)))
        self._ring_all(self._waiting)
        self.listening.set()
        if is_cancelled():
            raise asyncio.CancelledError
        async for notice in connection.notifies():
            if is_cancelled():
                raise asyncio.CancelledError
            for wakeup in self._waiting.get(notice.channel, ()):
                wakeup.ring()

    @staticmethod
    def _ring_all(waiting: Mapping[str, list[Wakeup]]) -> None:
        for wakeups in waiting.values():
            for wakeup in wakeups:
                wakeup.ring()
