"""What the catalog may say about a tree, after all that was said about it and the listings that were silent about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from tests.integration.harvest.orchard import Answer, Orchard

Row = dict[str, Any]


@dataclass(frozen=True)
class Word:
    """What an answer says about one tree, through which lane; None: that it is gone."""

    observation: int
    fruit: str | None
    hidden: tuple[str, ...]
    lane: str
    settled_at: datetime


@dataclass
class Listed:
    """The listings of an endpoint, the oldest first; `answer` is what the source said to the request of a batch."""

    orchard: Orchard
    listings: list[Row]
    outbox: list[Row]
    answer: Callable[[Row], Answer]
    _pages: dict[int, list[Answer]] = field(default_factory=dict)

    def verdicts(self, name: str, said: list[Word]) -> Iterator[str | None]:
        """What the catalog may say about it."""
        newest = said[-1]
        silent = [one for one in self.silent_about(name) if one["horizon"] > newest.observation]
        if any(self.can_tell(name, one, said) and self.is_remembered(name, one, newest) for one in silent):
            yield None
            return
        # where filters were changed, or before there was a listing, not shown and gone may look alike
        yield newest.fruit
        if any(self.was_shown_like(one, said) or newest.observation >= one["filters_since"] for one in silent):
            yield None

    def can_tell(self, name: str, one: Row, said: list[Word]) -> bool:
        """Whether it was learnt or listed since listings have had these filters: then its absence means that it is gone."""
        like = list(takewhile(lambda other: self.hidden(other) == self.hidden(one), self.before(one)))
        since = like[-1]["generation"] if like else one["generation"]
        shown = any(page.said.get(name) for other in like if other["state"] == "applied" for page in self.pages(other))
        alike = list(takewhile(lambda word: word.fruit == said[-1].fruit, reversed(said)))
        # what the catalog holds from before these filters stays until a listing has shown it, or something has changed in
        # it before a listing was carried out
        stood = any(word.fruit and word.observation < since for word in said)
        in_time = any(word.observation >= since and was_there(word, one) for word in alike)
        learnt = alike[-1].observation >= since and (in_time or not stood)
        return said[-1].hidden == self.hidden(one) and (shown or learnt)

    def is_remembered(self, name: str, one: Row, newest: Word) -> bool:
        """Whether it is known what the listing lacked: when it was carried out; then of the last one with its filters, and for
        one change of them.
        """
        later = [other for other in self.listings if other["generation"] > one["generation"]]
        later = [other for other in later if other["state"] == "applied"]
        shown = any(page.said.get(name) for other in later for page in self.pages(other))
        known = not shown and len({other["filters_since"] for other in (one, *later)}) <= 2
        return known or was_there(newest, one)

    def before(self, one: Row) -> list[Row]:
        """The listings before this one, the latest first."""
        return [other for other in reversed(self.listings) if other["generation"] < one["generation"]]

    def silent_about(self, name: str) -> list[Row]:
        """The listings that were carried out, and in which it was not."""
        return [
            one
            for one in self.listings
            if one["state"] == "applied" and not any(page.said.get(name) for page in self.pages(one))
        ]

    def pages(self, one: Row) -> list[Answer]:
        """The answers that a listing consists of."""
        if one["generation"] not in self._pages:
            self._pages[one["generation"]] = self._found_pages(one)
        return self._pages[one["generation"]]

    def _found_pages(self, one: Row) -> list[Answer]:
        batches = [b for b in self.outbox if b["lane"] == one["lane"] and b["observation"] >= one["generation"]]
        upto = next((b["seq"] for b in batches if b["generation"] == one["generation"]), 0)
        return [self.answer(b) for b in batches if b["seq"] <= upto]

    def hidden(self, one: Row) -> tuple[str, ...]:
        return self.first_page(one).hidden

    def first_page(self, one: Row) -> Answer:
        return next(answer for answer in self.orchard.answers if answer.drawn == one["generation"])

    def was_shown_like(self, one: Row, said: list[Word]) -> bool:
        """Whether it was ever shown under the filters of the listing."""
        return any(word.hidden == self.hidden(one) and word.observation < one["generation"] for word in said)


def was_there(word: Word, one: Row) -> bool:
    """Whether it was persisted when the listing was carried out: nobody writes items while that is done."""
    return bool(word.settled_at < one["ended_at"])


def last_words(said: list[Word]) -> Iterator[list[Word]]:
    """The words up to the newest; several lanes may have one of the same number, and then either may be the last."""
    newest = [word for word in said if word.observation == said[-1].observation]
    for word in {each.lane: each for each in newest}.values():
        yield [*(other for other in said if other is not word), word]
