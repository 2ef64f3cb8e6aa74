"""What must be so whenever nothing is under way: the tables against what the source has answered.

Everything here is told anew from the answers, with nothing of the code under test but its tables.
"""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import psycopg
from psycopg.rows import dict_row
from tests.integration.harvest.listed import Listed, Word, last_words
from tests.integration.harvest.numbers import Numbers, above
from tests.integration.harvest.orchard import BLIGHT, NAMES, STAKES, Answer, Orchard, neighbour

from windrow.contracts.identity import Identity
from windrow.contracts.scope import Scope
from windrow.harvest.retrying import PREFIX

Row = dict[str, Any]


@dataclass
class Evidence:
    """The tables of one tenant, as it sees them, and what they must say."""

    scope: Scope
    orchard: Orchard
    tables: psycopg.Connection[Any]
    # what somebody has spoilt was this before
    spoilt: dict[tuple[str, int], bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        identity = Identity(self.scope, "orchard")
        self.names = {identity.item_id(name): name for name in (*NAMES, *STAKES)}

    def rows(self, query: str) -> list[Row]:
        with self.tables.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode()).fetchall()

    def check(self) -> None:
        """All of it."""
        self.outbox = self.rows("SELECT *, xmin::text::bigint AS settled_in FROM harvest_outbox ORDER BY lane, seq")
        self.items = {row["external_id"]: row for row in self.rows("SELECT * FROM items")}
        self.listings = self.rows("SELECT * FROM listings ORDER BY generation")
        self.listed = Listed(self.orchard, self.listings, self.outbox, self.answer)
        runs = self.rows("SELECT run_id, lane FROM harvest_runs")
        self.numbers = Numbers(self.orchard, {row["run_id"]: row["lane"] for row in runs})
        self.answers = {(batch["lane"], batch["seq"]): self.found_answer(batch) for batch in self.outbox}
        self.check_batches()
        self.check_refused()
        self.check_order()
        self.check_overlaps()
        self.check_zombies()
        self.check_counts()
        self.check_catalog()
        self.check_relations()
        self.check_history_and_feed()
        self.check_deletions()

    # batches

    def answer(self, batch: Row) -> Answer:
        return self.answers[batch["lane"], batch["seq"]]

    def found_answer(self, batch: Row) -> Answer:
        """The answer that became this batch, under the number that its request must have had."""
        names = {item["external_id"] for item in json.loads(self.payload(batch))}
        found = [one for one in self.orchard.answers if names <= one.said.keys()]
        if batch["lane"].startswith(PREFIX):
            found = [one for one in found if all(one.said[name] == BLIGHT for name in names)]
        else:
            found = [one for one in found if one.run_id == batch["run_id"]]
        numbers = [self.numbers.of(one) for one in found]
        assert batch["observation"] in numbers, (
            f"{batch['observation']} is not the number of a request of {batch['run_id']}: {numbers}"
        )
        return found[numbers.index(batch["observation"])]

    def payload(self, batch: Row) -> bytes:
        return self.spoilt.get((batch["lane"], batch["seq"])) or bytes(batch["payload"])

    def check_batches(self) -> None:
        """Each batch is what the source said to the request that has its observation, under the run that asked."""
        for batch in self.outbox:
            answer = self.answer(batch)
            told = {
                item["external_id"]: None if item.get("deleted") else item["display_name"]
                for item in json.loads(self.payload(batch))
            }
            if batch["lane"].startswith(PREFIX):  # refused at first, and retried with the observation of its request
                assert told == dict.fromkeys(told, BLIGHT)
                assert told.items() <= answer.said.items()
                continue
            assert batch["run_id"] == answer.run_id
            assert told == {
                name: fruit for name, fruit in answer.said.items() if fruit != BLIGHT and (fruit or answer.reported)
            }

    def check_refused(self) -> None:
        """What was refused is kept, and published once at the most when it is retried."""
        kept = {row["external_id"]: row["observation"] for row in self.rows("SELECT * FROM quarantine")}
        retried: Counter[tuple[int, str]] = Counter()
        for batch in self.outbox:
            if batch["lane"].startswith(PREFIX):
                retried.update((batch["observation"], item["external_id"]) for item in json.loads(self.payload(batch)))
                continue
            for name in (name for name, fruit in self.answer(batch).said.items() if fruit == BLIGHT):
                assert kept.get(name, 0) >= batch["observation"], f"{name} was refused and is not kept: {kept}"
        for (observation, name), times in retried.items():
            refused = [one for one in self.orchard.answers if one.said.get(name) == BLIGHT]
            assert times <= sum(self.numbers.of(one) == observation for one in refused), f"{name} was retried twice"

    def check_order(self) -> None:
        """Settled in their order, each once; nobody writes behind his successor; newer requests come later."""
        for lane in {batch["lane"] for batch in self.outbox}:
            batches = [batch for batch in self.outbox if batch["lane"] == lane]
            settled = [batch for batch in batches if batch["status"] != "pending"]
            assert batches[: len(settled)] == settled, f"{lane}: a batch was settled before one that is before it"
            for what in ("settled_in", "epoch", "observation"):
                told = [batch[what] for batch in (settled if what == "settled_in" else batches)]
                assert told == sorted(told), f"{lane}: {what} is out of order: {told}"
            seen = [(answer.drawn, tuple(answer.said)) for answer in map(self.answer, batches)]
            assert len(set(seen)) == len(seen) or lane.startswith(PREFIX), f"{lane}: an answer was published twice"

    def check_overlaps(self) -> None:
        """Who asks before a lane that outranks his has its answer counts as older; who asks after a listing began does not."""
        asked = [(batch, self.answer(batch)) for batch in self.outbox if not batch["lane"].startswith(PREFIX)]
        for low, its in asked:
            self.numbers.check_floors(its)
            for high, other in asked:
                # an event that yielded itself has no number of its own, and live heals both
                is_own = high["observation"] == other.drawn
                if high["lane"] in above(low["lane"]) and is_own and its.asked < self.taken(other):
                    assert low["observation"] < high["observation"], (
                        f"{low['lane']} asked before {high['lane']} was answered: {its}, {other}"
                    )
            for one in self.listings:
                if its.asked > self.listed.first_page(one).asked and one["lane"] != low["lane"]:
                    assert low["observation"] >= one["horizon"], f"{low['lane']} asked after {one} began: {its}"
        for one in self.listings:
            self.numbers.check_horizon(one, self.listed.first_page(one))

    def taken(self, answer: Answer) -> int:
        """The moment of which an answer tells: a snapshot was taken with its first page."""
        if not answer.of_a_picture:
            return answer.answered
        return min(one.answered for one in self.orchard.answers if one.of_a_picture and one.drawn == answer.drawn)

    def check_zombies(self) -> None:
        """Whoever begins a slice makes those before him zombies: nothing of theirs is written from then on."""
        runs = self.rows("SELECT run_id, lane, begun_at FROM harvest_runs ORDER BY lane, begun_at")
        ends = {one["run_id"]: other["begun_at"] for one, other in pairwise(runs) if one["lane"] == other["lane"]}
        for batch in self.outbox:
            ended = ends.get(batch["run_id"])
            assert ended is None or batch["created_at"] < ended, f"{batch['run_id']} wrote after it was superseded"

    def check_counts(self) -> None:
        """fetched = created + updated + deleted + unchanged + outdated + discarded + quarantined + repeats."""
        results = ("created", "updated", "deleted", "unchanged", "outdated")
        for batch in self.outbox:
            if batch["status"] == "processed":
                assert batch["items"] == sum(batch[name] for name in results), batch
        for run in self.rows("SELECT * FROM harvest_runs"):
            batches = [batch for batch in self.outbox if batch["run_id"] == run["run_id"]]
            assert run["published"] == sum(batch["items"] for batch in batches), run
            assert run["fetched"] == run["published"] + run["repeats"] + run["quarantined"], run

    # the catalog

    def words(self) -> dict[str, list[Word]]:
        """By tree, what was persisted about it, in the order in which it was asked."""
        words: dict[str, list[Word]] = defaultdict(list)
        for batch in sorted(self.outbox, key=lambda batch: (batch["observation"], batch["lane"], batch["seq"])):
            if batch["status"] != "processed":
                continue
            answer = self.answer(batch)
            told = {item["external_id"] for item in json.loads(self.payload(batch))}
            for name in told:
                words[name].append(
                    Word(batch["observation"], answer.said[name], answer.hidden, batch["lane"], batch["settled_at"])
                )
        return words

    def check_catalog(self) -> None:
        """Each item says what the newest word about it says; a listing without it is a word, too."""
        words = self.words()
        assert self.items.keys() <= words.keys(), "an item that no persisted batch has brought"
        for name, said in words.items():
            newest = said[-1]
            found = self.found(name)
            allowed = {verdict for last in last_words(said) for verdict in self.listed.verdicts(name, last)}
            assert found in allowed, (
                f"{name} is {found}, not {allowed}: asked as {newest.observation}; words {said}; "
                f"listings {[(one['generation'], one['state'], one['lane']) for one in self.listings]}"
            )
            if found is not None:
                assert self.items[name]["observation"] <= newest.observation, (
                    f"{name} claims to be seen later than it was"
                )

    def found(self, name: str) -> str | None:
        item = self.items.get(name)
        return item["display_name"] if item and not item["deleted"] else None

    def check_relations(self) -> None:
        found = {
            (self.names[str(row["item_id"])], row["type"], row["target_external_id"], self.names[str(row["target_id"])])
            for row in self.rows("SELECT * FROM item_relations")
        }
        due = set()
        for name, item in self.items.items():
            if not item["deleted"] and item["display_name"] == "plum":
                due.add((name, "near", neighbour(name), neighbour(name)))
        assert found == due

    # history, feed, deletions

    def check_history_and_feed(self) -> None:
        history = defaultdict(list)
        for row in self.rows("SELECT * FROM item_history ORDER BY revision"):
            history[self.names[str(row["item_id"])]].append(row)
        feed, words = self.feed(), self.words()
        for name, item in self.items.items():
            past = history[name]
            assert [row["revision"] for row in past] == list(range(1, item["revision"])), name
            seen = [row["observation"] for row in past] + [item["observation"]]
            assert seen == sorted(seen), f"{name}: something older replaced something newer: {seen}"
            states = [None if row["was"]["deleted"] else row["was"]["display_name"] for row in past]
            states.append(None if item["deleted"] else item["display_name"])
            assert all(one != other for one, other in pairwise(states)), (name, states)
            kinds = [
                "deleted" if state is None else "updated" if place else "created" for place, state in enumerate(states)
            ]
            assert feed[name] == kinds, f"{name}: the feed says {feed[name]}, the history {states}"
            self.check_causes(name, words[name], list(zip(seen, states, strict=True)))
        assert feed.keys() <= self.items.keys()
        self.check_totals(Counter(kind for kinds in feed.values() for kind in kinds))

    def check_causes(self, name: str, said: list[Word], revisions: list[tuple[int, str | None]]) -> None:
        """Whatever an item has been, somebody has said, under that number, and each word made one revision at the most."""
        causes = Counter((word.observation, word.fruit) for word in said)
        causes.update((one["horizon"], None) for one in self.listed.silent_about(name))
        assert Counter(revisions) <= causes, f"{name} was {revisions}, and it was told {causes}"

    def check_totals(self, told: Counter[str]) -> None:
        """What the batches and the listings count is what the feed tells."""
        counted = Counter(
            {kind: sum(batch[kind] or 0 for batch in self.outbox) for kind in ("created", "updated", "deleted")}
        )
        counted["deleted"] += sum(one["missing"] for one in self.listings if one["state"] == "applied")
        assert +counted == told, f"{counted} were counted, and {told} told"

    def feed(self) -> dict[str, list[str]]:
        """By tree, what the change feed told, in its order."""
        told: dict[str, list[str]] = defaultdict(list)
        for row in self.rows(
            "SELECT m.payload FROM messages m JOIN topic_log l USING (tenant_id, topic, message_id)"
            " WHERE m.topic = 'catalog.changes' ORDER BY l.seq"
        ):
            for kind in ("created", "updated", "deleted"):
                for item_id in row["payload"][kind]:
                    told[self.names[item_id]].append(kind)
        return told

    def check_deletions(self) -> None:
        """No listing deleted more than a quarter by itself, and none that was not whole."""
        for one in self.listings:
            if one["state"] != "applied":
                continue
            last = next((batch for batch in self.outbox if batch["generation"] == one["generation"]), None)
            assert last, "a listing that no batch made whole was carried out"
            assert last["status"] == "processed"
            assert one["generation"] in self.approved or one["missing"] <= 0.25 * one["known"], one
            pages = self.listed.pages(one)
            assert {name for page in pages for name in page.said} >= STAKES.keys(), f"{one} is not the whole orchard"
            assert {page.hidden for page in pages} == {self.listed.hidden(one)}, f"{one} was made under several filters"

    def the_catalog_is_the_source(self, hidden: list[str]) -> None:
        """After a last pass: what is there is shown as it is; what is gone is gone, unless nobody could tell."""
        states = [one["state"] for one in self.listings]
        assert self.orchard.reports or states[-1:] == ["applied"], f"the last pass was no listing: {states}"
        lost = self.set_aside()
        for name in NAMES:
            if name in hidden or name in lost:
                continue
            found = self.found(name)
            due = self.orchard.trees.get(name)
            # what is gone and was never listed under these filters cannot be told from what they do not show
            unsure = due is None and not self.orchard.reports
            assert found == due or unsure, f"{name} is {found} in the catalog and {due} in the source"

    def set_aside(self) -> set[str]:
        """What an operator has discarded, and no later answer has brought again."""
        words = self.words()
        return {
            name
            for batch in self.outbox
            if batch["status"] == "discarded"
            for name in self.answer(batch).said
            if not words[name] or words[name][-1].observation < batch["observation"]
        }

    approved: frozenset[int] = frozenset()
