"""A Singer tap as a source: the records of its streams."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

import msgspec

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.singer import discovery
from windrow.connectors.singer.catalog import Chosen, choose
from windrow.connectors.singer.config import Selection, SingerConfig
from windrow.connectors.singer.cursor import Listing, Place, fingerprint, read
from windrow.connectors.singer.filling import filled
from windrow.connectors.singer.items import item
from windrow.connectors.singer.process import Limits, Order, Running
from windrow.connectors.singer.reading import Reading, Tap
from windrow.connectors.spec import LARGEST_PAGE, Capabilities, ConnectorSpec, Credential, Deletes, PageSizes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page

_OPTIONS = {Selection.CATALOG: "--catalog", Selection.PROPERTIES: "--properties"}
# of so many streams the rules are at hand
_MOST_RULES = 1000


class SingerConnector(Connector[SingerConfig]):
    """Runs a tap of the operator's list, and hears it page by page."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="singer",
        version="1.0.0",
        title="Anything that a Singer tap reads",
        source_system="singer",
        config=SingerConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        # another size would mean another run of the tap
        page_sizes=PageSizes(standard=LARGEST_PAGE, fixed=True),
        credential=Credential.OPTIONAL,
        credential_help="what the tap's own configuration asks for; `fill` says where in it the credential goes",
    )
    limits: ClassVar[Limits] = Limits()

    def __init__(self, config: SingerConfig, context: Context) -> None:
        super().__init__(config, context)
        self._tool = ExecutionTool(self.spec.name, context, concurrency=self.spec.max_concurrency)
        self._named = fingerprint(config.model_dump(mode="json", exclude={"relist_hours"}))
        self._rules_of = lru_cache(_MOST_RULES)(config.rules_of)
        self._readings: list[Reading] = []

    async def prepare(self) -> list[Finding]:
        """Is the tap there, does it take its configuration, and has it the streams that are wanted."""
        executable = self.context.permits.taps.find(self.config.tap)
        found = [Finding("tap", True, f"{executable} can be run")]
        chosen = await self._chosen()
        if chosen is None:
            filled(self.config.tap_config, self.config.fill, await self.context.credential())
            return [*found, Finding("streams", True, "the tap is not asked what it has, and gives everything")]
        how = "as a whole at each run" if chosen.full else "from where the last run ended"
        return [*found, Finding("streams", True, f"{len(chosen.streams)} of {chosen.offered} are harvested, {how}")]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What the tap gives behind a cursor. It runs until the last page, or until nobody asks for more."""
        place = read(cursor)
        chosen = await self._chosen()
        begun = self._begun(place, chosen)
        _, secrets = filled(self.config.tap_config, self.config.fill, await self.context.credential())
        tap = Tap(
            run=lambda state: self._run(chosen, state),
            config=self.config,
            chosen=chosen,
            context=self.context,
            limits=self.limits,
            secrets=secrets,
        )
        reading = Reading(tap, begun, opens=begun.listing is not None and not begun.open)
        self._readings.append(reading)
        try:
            last = False
            while not last:
                page = await self._tool.call("read", lambda: reading.page(page_size))
                last = page.last
                yield page
        finally:
            await reading.close()

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return item(record, self._rules_of)

    async def close(self) -> None:
        """No tap outlives its connector."""
        while self._readings:
            await self._readings.pop().close()

    def _begun(self, place: Place, chosen: Chosen | None) -> Place:
        """The pass that a cursor stands in; behind the end of one, the next. A listing begins without a state."""
        if place.open and place.config == self._named:
            return place
        listed = place.listed if place.config == self._named else None
        hour = _hour(self.context.now())
        if self._lists(listed, hour, chosen):
            kept = hour if self.config.relist_hours else None
            return Place(config=self._named, listing=Listing(), listed=kept)
        return Place(config=self._named, state=place.state, listed=listed)

    def _lists(self, listed: int | None, hour: int, chosen: Chosen | None) -> bool:
        """Whether the next pass shows all there is: the tap says so of its streams, or the author did and it is time."""
        hours = self.config.relist_hours
        if hours is None:
            return chosen is not None and chosen.full
        return listed is None or hour - listed >= hours

    async def _chosen(self) -> Chosen | None:
        if self.config.selection is Selection.NONE:
            return None
        said = discovery.kept(self.context, self._named)
        if said is None:
            order = await self._order(("--discover",), {})
            said = await self._tool.call("discover", lambda: discovery.discover(self.config.tap, order, self._say))
            chosen = choose(said, self.config)
            discovery.keep(self.context, self._named, said)
            return chosen
        return choose(said, self.config)

    async def _run(self, chosen: Chosen | None, state: dict[str, Any] | None) -> Running:
        files: dict[str, bytes] = {}
        if chosen is not None:
            files[_OPTIONS[self.config.selection]] = chosen.document
        if state is not None:
            files["--state"] = msgspec.json.encode(state)
        return await Running.start(await self._order((), files), self._say)

    async def _order(self, options: tuple[str, ...], files: Mapping[str, bytes]) -> Order:
        # the credential is read anew for each run: it may have been changed
        config, _ = filled(self.config.tap_config, self.config.fill, await self.context.credential())
        taps = self.context.permits.taps
        return Order(
            executable=taps.find(self.config.tap),
            options=options,
            files={"--config": config, **files},
            memory=taps.memory,
            limits=self.limits,
        )

    def _say(self, line: str) -> None:
        self.context.say("tap.said", tap=self.config.tap, line=line)


def _hour(moment: datetime) -> int:
    return int(moment.timestamp()) // 3600
