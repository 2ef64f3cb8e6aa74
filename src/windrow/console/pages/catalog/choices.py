"""The facets of the list as links: each leads to the same question with it, or without it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windrow.catalog import Facet
from windrow.console.pages.catalog.question import Question
from windrow.console.pages.words import number, plural

# the rest is folded away
SHOWN = 8


@dataclass(slots=True)
class Sum:
    """How many items some facets have together, as people are told: `12`, `more than 12` as `12+`, by a guess `~1 200`."""

    items: int = 0
    is_all: bool = True
    guess: bool = False

    def add(self, facet: Facet) -> None:
        self.items += facet.items
        self.is_all &= facet.is_all
        self.guess |= facet.guess

    def __str__(self) -> str:
        if self.guess:
            return f"~{number(_rounded(self.items))}"
        # where so many are gone that nobody knows whether any is left, no number says anything
        return number(self.items) if self.is_all else f"{number(self.items)}+" if self.items else ""

    @property
    def words(self) -> str:
        """The same in a sentence."""
        if self.guess:
            return f"about {number(_rounded(self.items))} items"
        return f"{'' if self.is_all else 'more than '}{plural(self.items, 'item')}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value: how many items it has, where it leads, and whether it is chosen."""

    value: str
    count: str
    href: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of one facet, the largest first."""

    title: str
    shown: tuple[Choice, ...]
    folded: tuple[Choice, ...]


def choices(question: Question, facets: Sequence[Facet]) -> list[Choices]:
    """Endpoints, counted with the chosen type; and types, counted with the chosen endpoint."""
    endpoints = [facet for facet in facets if question.kind in (None, facet.entity_type)]
    kinds = [facet for facet in facets if question.endpoint in (None, facet.endpoint_id)]
    return [
        _facet("Source", endpoints, question, "endpoint", lambda facet: facet.endpoint_id),
        _facet("Type", kinds, question, "kind", lambda facet: facet.entity_type),
    ]


def total(facets: Sequence[Facet]) -> Sum:
    """All of them together."""
    counted = Sum()
    for facet in facets:
        counted.add(facet)
    return counted


def _facet(
    title: str, facets: Sequence[Facet], question: Question, name: str, value: Callable[[Facet], str]
) -> Choices:
    sums: dict[str, Sum] = defaultdict(Sum)
    chosen: str | None = getattr(question, name)
    if chosen is not None:
        sums[chosen] = Sum()  # shown, so that it can be taken back, even when it has nothing
    for facet in facets:
        sums[value(facet)].add(facet)
    ordered = sorted(sums, key=lambda each: (each != chosen, -sums[each].items, each))
    found = tuple(
        Choice(each, str(sums[each]), question.href(**{name: None if each == chosen else each}), each == chosen)
        for each in ordered
    )
    # one more than fits is not worth a fold
    cut = SHOWN if len(found) > SHOWN + 1 else len(found)
    return Choices(title, found[:cut], found[cut:])


def _rounded(items: int) -> int:
    """As many digits as a guess has: the fewer there are, the fewer of them were in its sample."""
    return int(float(f"{items:.0e}" if items < 10_000 else f"{items:.1e}"))
