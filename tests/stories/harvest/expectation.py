"""What the catalog must say, told anew from the source alone: nothing of the code under test but the order of its batches."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.stories.harvest.gazette import Record

KINDS = ("created", "updated", "deleted")


@dataclass(frozen=True)
class Batch:
    """Items of one issue that were persisted together; `misses` is set where they make a register whole."""

    lane: str
    run_id: str
    observation: int
    items: tuple[Record, ...]
    misses: "Register | None" = None


@dataclass(frozen=True)
class Register:
    """All that was there from its first request on; `known` is what earlier ones showed."""

    generation: int
    since: int
    shown: frozenset[str]
    known: frozenset[str]


@dataclass
class Entry:
    """One item with all that it was."""

    said: tuple[Any, ...]
    deleted: bool
    observation: int
    run_id: str
    past: list[tuple[Any, ...]] = field(default_factory=list)

    def become(self, said: tuple[Any, ...], deleted: bool, observation: int, run_id: str) -> None:
        self.past.append((self.said, self.deleted, self.run_id, run_id))
        self.said, self.deleted, self.observation, self.run_id = said, deleted, observation, run_id


@dataclass
class Catalog:
    """The items, and what each batch did to them."""

    entries: dict[str, Entry] = field(default_factory=dict)

    def persist(self, batch: Batch) -> tuple[dict[str, int], dict[str, set[str]]]:
        """What became of its items, in numbers, and what the change feed must tell."""
        counts: dict[str, int] = defaultdict(int)
        told: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for item in batch.items:
            result = self._write(item, batch)
            counts[result] += 1
            if result in told:
                told[result].add(item["external_id"])
        if batch.misses:
            told["deleted"] |= self._bury(batch.misses, batch.run_id)
        return counts, told

    def _write(self, item: Record, batch: Batch) -> str:
        name, deleted = item["external_id"], bool(item.get("deleted"))
        entry = self.entries.get(name)
        if entry is None:
            self.entries[name] = Entry(content(item), deleted, batch.observation, batch.run_id)
            return "deleted" if deleted else "created"
        if (deleted and entry.deleted) or (deleted, content(item)) == (entry.deleted, entry.said):
            entry.observation = max(entry.observation, batch.observation)
            return "unchanged"
        if entry.observation > batch.observation:
            return "outdated"
        # a tombstone leaves what is known of the thing
        entry.become(entry.said if deleted else content(item), deleted, batch.observation, batch.run_id)
        return "deleted" if deleted else "updated"

    def _bury(self, register: Register, run_id: str) -> set[str]:
        missing = {
            name
            for name, entry in self.entries.items()
            if name not in register.shown and not entry.deleted and entry.observation < register.generation
            if name in register.known or entry.observation >= register.since
        }
        for name in missing:
            self.entries[name].become(self.entries[name].said, True, register.generation, run_id)
        return missing

    def relations(self) -> set[tuple[str, str, str]]:
        return {
            (name, *relation) for name, entry in self.entries.items() if not entry.deleted for relation in entry.said[3]
        }


def content(item: Record) -> tuple[Any, ...]:
    """What the source says about a thing, whatever the order."""
    return (
        item["display_name"],
        tuple(sorted(item.get("labels", ()))),
        tuple(sorted(item.get("attributes", {}).items())),
        tuple(sorted(pairs(item.get("relations", ())))),
    )


def pairs(relations: Iterable[dict[str, str]]) -> list[tuple[str, str]]:
    return [(relation["type"], relation["target"]) for relation in relations]
