"""A source that follows a script: these pages, one after the other, or what goes wrong instead of one."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tests.integration.harvest.shop import ShopConfig, context_of

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import Capabilities, ConnectorSpec, Deletes, PageSizes
from windrow.contracts.page import Cursor, Page


def thing(name: str, **said: Any) -> dict[str, Any]:
    """A record that is an item already."""
    return {"entity_type": "thing", "external_id": name, "display_name": name.title(), **said}


def things(*numbers: int, **said: Any) -> list[dict[str, Any]]:
    return [thing(f"thing {number:05}", **said) for number in numbers]


BAD = {"entity_type": "NOT A NAME", "external_id": "bad", "display_name": ""}
NAMELESS = {"entity_type": "thing"}
# a slice of one page
BRIEF = timedelta(0)


@dataclass(frozen=True, slots=True)
class Said:
    """A page as the script has it; where it stands decides its cursor, and whether it is the last."""

    records: Sequence[Any] = ()
    opens: bool = False
    whole: bool = False
    calm: bool = True
    cursor: Any = None


Line = Said | Exception | Callable[[], None]


@dataclass(slots=True)
class Script:
    """What the source says. `asked` holds the cursor and the page size of each request, in order.

    A line that is an exception is raised once, before the next page; one that is a function is called then, each time.
    """

    lines: list[Line] = field(default_factory=list)
    sizes: PageSizes = field(default_factory=PageSizes)
    asked: list[tuple[Cursor, int]] = field(default_factory=list)
    prepared: list[Exception] = field(default_factory=list)

    @classmethod
    def of(cls, *lines: Line) -> "Script":
        return cls(list(lines))

    @classmethod
    def listing(cls, *pages: Sequence[Any]) -> "Script":
        """One whole listing."""
        last = len(pages) - 1
        return cls([Said(page, opens=n == 0, whole=n == last) for n, page in enumerate(pages)])

    def connector(self, run_id: str = "run") -> "ScriptConnector":
        return ScriptConnector(self, run_id)

    def page(self, place: int) -> Page:
        pages = [line for line in self.lines if isinstance(line, Said)]
        said, last = pages[place], place == len(pages) - 1
        onward = None if last else {"page": place + 1}  # behind the last page it begins anew
        return Page(
            records=said.records,
            cursor=onward if said.cursor is None else said.cursor,
            position=f"page {place}",
            last=last,
            opens=said.opens,
            whole=said.whole,
            calm=said.calm,
        )

    def before(self, place: int) -> None:
        """What happens before this page is answered."""
        pages = [number for number, line in enumerate(self.lines) if isinstance(line, Said)]
        begin = pages[place - 1] + 1 if place else 0
        for line in self.lines[begin : pages[place]]:
            if isinstance(line, Exception):
                self.lines.remove(line)
                raise line
            assert not isinstance(line, Said)
            line()


class ScriptConnector(Connector[ShopConfig]):
    """Reads a script. The cursor is the number of the next page."""

    spec = ConnectorSpec(
        name="script",
        version="1.0",
        title="A script",
        source_system="script",
        config=ShopConfig,
        capabilities=Capabilities(deletes=Deletes.LISTED),
    )

    def __init__(self, script: Script, run_id: str) -> None:
        super().__init__(ShopConfig(), context_of(run_id))
        self.script = script
        self.spec = ConnectorSpec(  # type: ignore[misc] - the script decides its page sizes
            name="script",
            version="1.0",
            title="A script",
            source_system="script",
            config=ShopConfig,
            capabilities=Capabilities(deletes=Deletes.LISTED),
            page_sizes=script.sizes,
        )

    async def prepare(self) -> list[Finding]:
        if self.script.prepared:
            raise self.script.prepared.pop(0)
        return []

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        place = cursor["page"] if cursor else 0
        while True:
            self.script.asked.append((cursor, page_size))
            self.script.before(place)
            page = self.script.page(place)
            yield page
            if page.last:
                return
            cursor, place = page.cursor, place + 1

    def item(self, record: Any) -> dict[str, Any]:
        if not isinstance(record, dict):
            raise TypeError(f"a record is a mapping, not a {type(record).__name__}")
        return dict(record)
