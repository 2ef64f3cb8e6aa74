"""What is listed is described by the older API: labels, ancestors and restrictions of many things in one request.

A request that is too much is cut in two, down to one by one. A record that cannot be described even alone is passed over.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from windrow.connectors.confluence.lists import SEARCH, List
from windrow.connectors.confluence.site import TOO_MUCH, Site
from windrow.connectors.context import Say
from windrow.contracts.errors import WindrowError

# more of them at once: it is the search that is broken, and not the records
_MOST_PASSED_OVER = 3
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


@dataclass(slots=True)
class Described:
    """What was found, by id, and what could not be."""

    contents: dict[str, dict[str, Any]] = field(default_factory=dict)
    passed_over: set[str] = field(default_factory=set)
    in_parts: bool = False


@dataclass(frozen=True, slots=True)
class Describer:
    """Describes the contents of one site."""

    site: Site
    say: Say

    async def describe(self, ids: Iterable[str]) -> Described:
        """Each of these, as far as the search knows it."""
        wanted = [each for each in dict.fromkeys(ids) if _ID.fullmatch(each)]
        described = Described()
        await self._describe(wanted, described)
        return described

    async def _describe(self, ids: list[str], into: Described) -> None:
        if not ids:
            return
        try:
            found, more = await self._ask(ids)
        except WindrowError as error:
            if error.code not in TOO_MUCH:
                raise
            await self._in_parts(ids, into, error)
            return
        into.contents |= found
        # the server may give fewer at a time than it was asked for
        left = [each for each in ids if each not in found] if more and found else []
        await self._describe(left, into)

    async def _ask(self, ids: list[str]) -> tuple[dict[str, dict[str, Any]], bool]:
        these = List("describe", SEARCH, (("cql", f"id in ({', '.join(ids)})"),), expanded=True)
        answer = await self.site.read(these.name, these.link(len(ids)))
        asked = set(ids)
        found = {str(each["id"]): each for each in answer.results if isinstance(each, dict) and "id" in each}
        return {each: content for each, content in found.items() if each in asked}, answer.next is not None

    async def _in_parts(self, ids: list[str], into: Described, error: WindrowError) -> None:
        if len(ids) == 1 or not into.in_parts:
            # where the whole site is away, this raises: it is no request's fault, and no record's
            await self.site.whoami()
        if len(ids) > 1:
            into.in_parts, half = True, len(ids) // 2
            await self._describe(ids[:half], into)
            await self._describe(ids[half:], into)
            return
        if len(into.passed_over) >= _MOST_PASSED_OVER:
            raise error
        into.passed_over.add(ids[0])
        self.say("connector.skipped", position=f"content {ids[0]}", reason=error.message)
