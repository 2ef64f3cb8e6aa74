"""A pass: one list after the other, page by page, each page described and made into records."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from windrow.connectors.confluence.config import ConfluenceConfig, Entity
from windrow.connectors.confluence.cursor import Kind, Way
from windrow.connectors.confluence.describing import Described, Describer
from windrow.connectors.confluence.lists import GONE, List
from windrow.connectors.confluence.paging import Paging, Step
from windrow.connectors.confluence.records import Record, content, gone, plain, space
from windrow.contracts.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over one site, from where the cursor stands to its end."""

    config: ConfluenceConfig
    lists: list[List]
    paging: Paging
    describer: Describer
    way: Way

    async def pages(self, size: int) -> AsyncGenerator[Page, None]:
        """The pages that are left. Each is asked for when it is due; an answer with nothing in it is a page only at the end."""
        way, opens = self.way, self.way.kind is Kind.LISTING and self.way.began is None
        while True:
            which = self._list(way)
            step = await self.paging.step(way, which, size)
            records, passed_over = await self._records(which, step)
            began = way.began or step.answer.at
            way = replace(step.way, list=which.name, began=began, partial=step.way.partial or passed_over)
            following = self._behind(which) if step.ended else which
            if following and following is not which:
                way = way.to_list(following.name)
            if records or following is None:
                yield Page(
                    records=records,
                    cursor=(way if following else way.over()).written(),
                    position=f"{way.kind}: {which.name}",
                    last=following is None,
                    opens=opens,
                    whole=following is None and way.whole,
                )
                opens = False
            if following is None:
                return

    def _list(self, way: Way) -> List:
        """The list that is being read; the first one at the beginning, and where the cursor's is none any more."""
        return next((each for each in self.lists if each.name == way.list), self.lists[0])

    def _behind(self, which: List) -> List | None:
        place = self.lists.index(which) + 1
        return self.lists[place] if place < len(self.lists) else None

    async def _records(self, which: List, step: Step) -> tuple[list[Record], bool]:
        """The records of a step, and whether one of them had to be passed over."""
        listed = [each for each in step.results if isinstance(each, dict) and each.get("id")]
        site = step.answer.site
        if which.of is Entity.SPACE:
            return [space(each, site) for each in listed if self._in_scope(each.get("key"))], False
        if which.gone:
            # a server that does not know the filter gives what is there: only what says so itself is gone
            return [gone(which.of or Entity.PAGE, each) for each in listed if self._is_gone(each)], False
        if which.expanded and not step.way.light:
            return [content(each, site) for each in listed if self._wanted(each)], False
        described = await self.describer.describe(str(each["id"]) for each in listed)
        told = [described.contents.get(str(each["id"])) or self._plain(each, which, described) for each in listed]
        return [content(each, site) for each in told if each and self._wanted(each)], bool(described.passed_over)

    def _plain(self, listed: dict[str, Any], which: List, described: Described) -> dict[str, Any] | None:
        """What the search does not know yet, and what is there all the same; what the search itself gave has gone since."""
        if which.expanded or which.of is None or str(listed["id"]) in described.passed_over:
            return None
        return plain(listed, which.of)

    def _wanted(self, found: dict[str, Any]) -> bool:
        known = found.get("space") or {}
        chosen = found.get("type") in [entity.value for entity in self.config.entities]
        return chosen and found.get("status", "current") == "current" and self._in_scope(known.get("key"))

    def _is_gone(self, listed: dict[str, Any]) -> bool:
        known = listed.get("space") or {}
        return listed.get("status") in GONE and self._in_scope(known.get("key"))

    def _in_scope(self, key: Any) -> bool:
        """Of one whose space nobody tells, the list that it is in was asked for the right ones."""
        return not self.config.spaces or key is None or key in self.config.spaces
