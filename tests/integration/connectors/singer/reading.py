"""Harvests a tap as a run would."""

from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.singer import make_tap

from windrow.connectors.configuration import configured
from windrow.connectors.permits import Permits
from windrow.connectors.singer import SingerConnector
from windrow.connectors.singer.process import Limits
from windrow.connectors.standalone import standalone
from windrow.connectors.taps import Taps
from windrow.contracts.page import Page, Transformed
from windrow.contracts.scope import Scope
from windrow.vault import Secret


@dataclass
class Reader:
    """Harvests the tap `fake`, or whichever executable it is given."""

    place: Path
    executable: Path | None = None
    config: dict[str, Any] = field(default_factory=dict)
    secret: str | None = None
    limits: Limits = field(default_factory=Limits)
    memory: int = 512 << 20
    cancelled: bool = False
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    later: timedelta = timedelta()
    # `none` spares a process where streams do not matter
    selection: str = "catalog"

    def tap(self, body: str, streams: list[dict[str, Any]] | None = None) -> None:
        """From now on the tap does this. What was known of its streams is forgotten."""
        self.executable = make_tap(self.place / "tap-fake", body, streams)
        for kept in self.place.glob("cache/catalog-*"):
            kept.unlink()

    def limit(self, **changed: Any) -> None:
        self.limits = replace(self.limits, **changed)

    @property
    def asked(self) -> dict[str, Any]:
        return {"tap": "fake", "selection": self.selection, **self.config}

    def connector(self, **config: Any) -> SingerConnector:
        assert self.executable is not None
        context = standalone(
            Scope("acme", "main"),
            permits=Permits("acme", (), Taps((("fake", self.executable),), self.memory)),
            cache=self.place / "cache",
            say=self._hear,
            credential=self._credential,
            now=lambda: datetime.now(UTC) + self.later,
            cancelled=lambda: self.cancelled,
        )
        made = SingerConnector(configured(SingerConnector, {**self.asked, **config}), context)  # type: ignore[arg-type]
        made.limits = self.limits  # type: ignore[misc]
        return made

    def _hear(self, event: str, **fields: Any) -> None:
        self.said.append((event, fields))

    async def _credential(self) -> Secret | None:
        return Secret(self.secret) if self.secret else None

    async def pages(self, cursor: Any = None, size: int = 50, most: int = 1000, **config: Any) -> list[Page]:
        """The pages behind a cursor; left after so many of them."""
        found: list[Page] = []
        async with aclosing(self.connector(**config).fetch_pages(cursor, size)) as pages:  # type: ignore[type-var]
            async for page in pages:
                found.append(page)
                if len(found) == most:
                    break
        return found

    async def until_it_fails(self, cursor: Any = None, size: int = 50) -> tuple[list[Page], Exception]:
        """The pages that come, and what comes then."""
        found: list[Page] = []
        try:
            async with aclosing(self.connector().fetch_pages(cursor, size)) as pages:  # type: ignore[type-var]
                async for page in pages:
                    found.append(page)  # noqa: PERF401 - one by one, since those before the failure count
        except Exception as error:
            return found, error
        raise AssertionError("it came to an end")

    def turned(self, pages: list[Page]) -> list[Transformed]:
        connector = self.connector()
        return [connector.transform(page) for page in pages]

    def ids(self, pages: list[Page]) -> list[str]:
        return [item.external_id for each in self.turned(pages) for item in each.items]  # type: ignore[union-attr]

    def refusals(self, pages: list[Page]) -> list[str]:
        return [reason.message for each in self.turned(pages) for one in each.refused for reason in one.reasons]

    def heard(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.said if name == event]


def things(*numbers: int) -> list[str]:
    """How the records of the fake are called."""
    return [f"things:{number}" for number in numbers]
