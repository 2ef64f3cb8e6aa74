"""A source that changes while it is read, and knows what it answered when: the world of the protocol's model.

It holds a few trees by name, each bearing something. It can be asked in five ways. A request may be under way for long;
every answer is taken at some moment of that time, and written down with the number that was drawn for the request.

    listing    name by name, two at a time; the whole orchard is one listing
    snapshot   a listing of how it stood when the first page was asked for, and with the observation of that
    changes    what has changed since a place in its log; what was felled is reported if the orchard reports that
    backfill   name by name as well, but no listing: it only shows what is there
    event      one tree, now
"""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import msgspec
from pydantic import BaseModel
from tests.integration.harvest.puppets import stop
from tests.integration.harvest.shop import context_of

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import Capabilities, ConnectorSpec, Deletes
from windrow.contracts.page import Cursor, Page

NAMES = ("a", "b", "c", "d")
AT_ONCE = 2
ASKED, ANSWERED = "the request is on its way", "the answer is on its way"
BLIGHT = "blight"  # such a tree makes a record that is refused
STAKES = {f"stake {row}": row for row in range(0, len(NAMES), AT_ONCE)}  # each row has one that is always shown


class OrchardConfig(BaseModel):
    """Which trees are not shown."""

    hide: list[str] = []


@dataclass(frozen=True)
class Standing:
    """A lane at some moment: its floor, and the newest that it has published."""

    floor: int | None
    published: int | None


@dataclass(frozen=True)
class Request:
    """A question that is under way: the number that was drawn for it, when that was, and how the lanes stood then."""

    drawn: int
    moment: int
    lanes: dict[str, Standing]


@dataclass(frozen=True)
class Answer:
    """What was answered to one request: how each tree that it was about stood. Moments are those of the orchard's clock.

    `reported`: what was not there any more was told, too.
    """

    drawn: int
    run_id: str
    hidden: tuple[str, ...]
    said: dict[str, str | None]
    reported: bool
    request: Request
    answered: int
    of_a_picture: bool

    @property
    def asked(self) -> int:
        return self.request.moment


@dataclass
class Orchard:
    """The trees, the log of their changes, and every answer that was given."""

    latest_observation: Callable[[], int]
    lanes: Callable[[], dict[str, Standing]]
    reports: bool = False
    trees: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    # how it stood, and the number of who asked first
    pictures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    clock: Iterator[int] = field(default_factory=count)

    def plant(self, name: str, fruit: str) -> None:
        self.trees[name] = fruit
        self.log.append(name)

    def fell(self, name: str) -> None:
        if self.trees.pop(name, None):
            self.log.append(name)

    def asked(self) -> Request:
        """A request is made. Its number is the last one that was drawn: nobody else has done anything since."""
        return Request(self.latest_observation(), next(self.clock), self.lanes())

    def picture(self, request: Request) -> int:
        """A picture of all as it is now; its number."""
        self.pictures.append((request.drawn, dict(self.trees)))
        return len(self.pictures) - 1


class Picker(Connector[OrchardConfig]):
    """Reads the orchard in one of the five ways. Its cursor holds a place for each: `log`, `row`, `times`."""

    spec = ConnectorSpec(
        name="orchard",
        version="1",
        title="Orchard",
        source_system="orchard",
        config=OrchardConfig,
        capabilities=Capabilities(deletes=Deletes.LISTED),
    )

    def __init__(self, orchard: Orchard, config: dict[str, Any], run_id: str, way: "Way") -> None:
        super().__init__(OrchardConfig(**config), context_of(run_id))
        self.orchard, self.way = orchard, way
        self.request = Request(0, 0, {})

    async def prepare(self) -> list[Finding]:
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:  # noqa: ARG002 - rows have their length
        place = {"log": 0, "row": 0, "times": 0} | (cursor or {})
        while True:
            self.request = self.orchard.asked()
            await self.on_its_way()
            page = getattr(self, self.way.kind)(place)
            await stop(ANSWERED)
            yield page
            if page.last:
                return
            place = page.cursor

    async def on_its_way(self) -> None:
        """A request takes its time, and meanwhile the orchard changes."""
        await stop(ASKED)

    def listing(self, place: dict[str, int]) -> Page:
        # a new listing never has the cursor of the one before
        row = place["row"]
        last = row + AT_ONCE >= len(NAMES)
        after = place | ({"row": 0, "times": place["times"] + 1} if last else {"row": row + AT_ONCE})
        whole = last and not self.way.partial
        return self._page(_row(row), after, last=last, opens=row == 0, whole=whole)

    def snapshot(self, place: dict[str, int]) -> Page:
        if place["row"] == 0 or "shot" not in place:
            place = place | {"row": 0, "shot": self.orchard.picture(self.request)}
        page = self.listing(place)
        return msgspec.structs.replace(page, snapshot=str(place["shot"]))

    def changes(self, place: dict[str, int]) -> Page:
        log = self.orchard.log
        # what has changed again since is told where it changed last
        ahead = [at for at in range(place["log"], len(log)) if log[at] not in log[at + 1 :]]
        changed, last = ahead[:AT_ONCE], len(ahead) <= AT_ONCE
        after = len(log) if last else changed[-1] + 1
        return self._page(tuple(log[at] for at in changed), place | {"log": after}, last=last)

    def backfill(self, place: dict[str, int]) -> Page:
        row = place["row"]
        after = place | {"row": min(row + AT_ONCE, len(NAMES))}
        return self._page(_row(row), after, last=after["row"] >= len(NAMES))

    def event(self, place: dict[str, int]) -> Page:
        return self._page((self.way.about,), place | {"times": place["times"] + 1}, last=True)

    def _page(self, names: tuple[str, ...], cursor: dict[str, int], **more: Any) -> Page:
        drawn, trees = self.request.drawn, self.orchard.trees
        if self.way.kind == "snapshot":
            drawn, trees = self.orchard.pictures[cursor["shot"]]
        else:
            cursor = {name: place for name, place in cursor.items() if name != "shot"}
        shown = dict.fromkeys(name for name in names if name not in self.config.hide)
        said = {name: "wood" if name in STAKES else trees.get(name) for name in shown}
        records = [record for name, fruit in said.items() for record in self._records(name, fruit)]
        self.orchard.answers.append(
            Answer(
                drawn,
                self.context.run_id,
                tuple(self.config.hide),
                said,
                self._reports,
                self.request,
                next(self.orchard.clock),
                self.way.kind == "snapshot",
            )
        )
        return Page(records=records, cursor=cursor, position=str(cursor), **more)

    def _records(self, name: str, fruit: str | None) -> list[dict[str, Any]]:
        if fruit is None:
            return [{"name": name, "fruit": "none", "felled": True}] if self._reports else []
        # a source may tell a thing twice in a page: the last word counts
        twice = [{"name": name, "fruit": "told before"}] if fruit == "cherry" else []
        return [*twice, {"name": name, "fruit": fruit}]

    @property
    def _reports(self) -> bool:
        return self.orchard.reports or self.way.kind == "event"

    def item(self, record: Any) -> dict[str, Any]:
        name, fruit = record["name"], record["fruit"]
        if fruit == BLIGHT and not self.way.learnt:
            return {"entity_type": "tree", "external_id": name}
        near = [{"type": "near", "target": neighbour(name)}] if fruit == "plum" else []
        said = {"entity_type": "tree", "external_id": name, "display_name": fruit, "relations": near}
        return said | ({"deleted": True} if record.get("felled") else {})


def neighbour(name: str) -> str:
    """Plums grow beside something."""
    return NAMES[NAMES.index(name) - 1]


def _row(row: int) -> tuple[str, ...]:
    return (*(stake for stake, its in STAKES.items() if its == row), *NAMES[row : row + AT_ONCE])


@dataclass(frozen=True)
class Way:
    """How the orchard is asked in one slice. `partial`: the listing is not whole; `learnt`: blight is no trouble any more."""

    kind: str
    about: str = ""
    partial: bool = False
    learnt: bool = False
