"""A seeded season of a vendor: people change things while we harvest, the API has its troubles, the harvester is killed.

    with GitHub(seed) as fake:
        season = await Season.begin(database, fake, seed, tmp_path, monkeypatch…)
        await season.weather()      # harvests between and during changes, troubles and kill -9
        await season.dust()         # calm again, a day later: a last harvest, which lists as a whole
        assert await season.difference() == {}

A fake is the `Source` of its season. `truth` is written from the fake's own state and never with the connector's mapping:
it is what both are held against.
"""

import asyncio
import multiprocessing
import os
import random
import signal
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response
from tests.fakes.vendor import Vendor
from tests.stories.connectors import reaper
from tests.stories.connectors.reaper import Errand

from windrow import endpoints
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database, Query

SCOPE = Scope("acme", "main")
ENDPOINT = "vendor"
CREDENTIAL = "WINDROW_SECRET_VENDOR"
MOST_RUNS = 12
HELD = Query("held", "what a season compares", b"SELECT * FROM windrow.items WHERE NOT deleted")

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["anyio._backends._asyncio", reaper.__name__])


class Source(Protocol):
    """What a season asks of a fake. All but `truth` draw from the season's own random numbers, and from nothing else."""

    @property
    def vendor(self) -> Vendor: ...

    # the connector's name, its configuration, and what its credential_ref resolves to
    connector: str
    credential: str | None

    @property
    def config(self) -> dict[str, Any]: ...

    def change(self, drawn: random.Random) -> None:
        """People do one thing: something is made, edited, moved, deleted."""

    def trouble(self, drawn: random.Random) -> None:
        """The API will be in one kind of trouble: a limit, 5xx, a cursor that has expired. It ends by being met."""

    def calm(self) -> None:
        """Whatever trouble was still to come is called off."""

    def truth(self) -> dict[str, dict[str, Any]]:
        """What there is, by external id: columns of `items` with the values that they must have. No column may be
        among them that an item's neighbours change without its being read again."""


@dataclass
class Season:
    """One endpoint of one fake, and what befell it."""

    database: Database
    source: Source
    drawn: random.Random
    place: Path
    ran: list[str] = field(default_factory=list)

    @classmethod
    async def begin(cls, database: Database, source: Source, seed: int, place: Path) -> "Season":
        """The endpoint is there; nothing was read yet."""
        season = cls(database, source, random.Random(seed), place)
        made = Endpoint(
            scope=SCOPE,
            endpoint_id=ENDPOINT,
            connector=source.connector,
            config=source.config,
            credential_ref=f"env:{CREDENTIAL}" if source.credential else None,
        )
        async with database.tenant(SCOPE.tenant_id) as tx:
            await endpoints.add(tx, made, Actor("story", "operator"))
        return season

    async def weather(self, rounds: int = 3) -> None:
        """Harvests, with changes before and during them, troubles, and two kill -9."""
        killed = set(self.drawn.sample(range(rounds), min(2, rounds)))
        for number in range(rounds):
            for _ in range(self.drawn.randint(5, 40)):
                self.source.change(self.drawn)
            await self._harvested(kill=number in killed)

    async def dust(self) -> None:
        """It is calm, nothing changes, and a day has passed: what a harvest finds now is all that there is."""
        self.source.vendor.before = None
        self.source.calm()
        told = await self.run(ahead=timedelta(days=2))
        assert told == "ok", (told, self.ran)

    async def difference(self) -> dict[str, tuple[Any, Any]]:
        """Where the catalog is not the source: by external id what is held, and what is true. None: it is not there."""
        held, true = await self.held(), self.source.truth()
        compared = {
            key: (_like(held.get(key), true.get(key)), true.get(key)) for key in sorted(held.keys() | true.keys())
        }
        return {key: both for key, both in compared.items() if both[0] != both[1]}

    async def held(self) -> dict[str, dict[str, Any]]:
        """The items of the catalog that are not tombstones."""
        async with self.database.tenant(SCOPE.tenant_id) as tx:
            rows = await tx.rows(HELD)
        return {row["external_id"]: row for row in rows}

    async def run(self, *, ahead: timedelta = timedelta(0), kill_at: int | None = None) -> str:
        """One process, one run: what it told in the end, or that it was killed (at the given request from now)."""
        if kill_at is None:
            return await self._ended(self._started(ahead))
        process, heard = self._started(ahead)
        inner, counted = self.source.vendor.before, iter(range(1, kill_at))

        def killing(request: Request) -> Response | None:
            if next(counted, None) is None and process.is_alive() and process.pid:
                os.kill(process.pid, signal.SIGKILL)
            return inner(request) if inner else None

        self.source.vendor.before = killing
        try:
            return await self._ended((process, heard))
        finally:
            self.source.vendor.before = inner

    async def _harvested(self, *, kill: bool) -> None:
        """Run after run until one ends well, while people go on changing things."""
        self.source.vendor.before = self._meanwhile
        for number in range(MOST_RUNS):
            self.source.trouble(self.drawn)
            told = await self.run(kill_at=self.drawn.randint(2, 30) if kill and number == 0 else None)
            if told == "ok":
                return
        raise AssertionError(f"no run of {MOST_RUNS} ended well: {self.ran}")

    def _meanwhile(self, _: Request) -> Response | None:
        if self.drawn.random() < 0.1:
            self.source.change(self.drawn)
        if self.drawn.random() < 0.03:
            self.source.trouble(self.drawn)
        return None

    def _started(self, ahead: timedelta) -> Any:
        heard, theirs = _server.Pipe(duplex=False)
        environment = {
            "WINDROW_HOME": str(self.place),
            "WINDROW_ADDRESSES_ALLOWED": self.source.vendor.door,
            "WINDROW_CREDENTIALS_ALLOWED": f"{SCOPE.tenant_id}=env:{CREDENTIAL}",
            CREDENTIAL: self.source.credential or "",
        }
        errand = Errand(
            environment=environment,
            database_url=self.database.url,
            scope=SCOPE,
            endpoint_id=ENDPOINT,
            run_id=f"run-{len(self.ran)}",
            ahead=ahead,
            log=self.place / "log.jsonl",
        )
        process = _server.Process(target=reaper.live, args=(errand, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, heard

    async def _ended(self, started: Any) -> str:
        process, heard = started
        await asyncio.to_thread(process.join, 120)
        assert process.exitcode is not None, "a run did not end"
        try:
            told = str(heard.recv())
        except EOFError:  # it died before it had something to tell
            told = f"exit {process.exitcode}"
        heard.close()
        process.close()
        self.ran.append(told)
        return told


def _like(held: dict[str, Any] | None, true: dict[str, Any] | None) -> dict[str, Any] | None:
    """What is held, in as far as something is said about it."""
    return held if held is None or true is None else {name: held[name] for name in true}
