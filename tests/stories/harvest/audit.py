"""What must be so in the end, whatever died: the outbox and the catalog of one tenant against its source."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.stories.harvest.expectation import KINDS, Batch, Catalog, Register, content
from tests.stories.harvest.gazette import EDITIONS, LANES, as_it_is_now
from tests.stories.harvest.ledger import RESULTS, Ledger, Row, payload
from tests.stories.harvest.roles import run_of


def check_tables(ledger: Ledger) -> None:
    """All of it; the catalog only where the outbox is well, from which it is made."""
    for lane in LANES:
        _check_published(ledger, lane)
        _check_run(ledger, lane)
        _check_settled(ledger, lane)
    if not ledger.wrong:
        _check_catalog(ledger)
        _check_source(ledger)


def _check_published(ledger: Ledger, lane: str) -> None:
    """Each issue once and in order, and the cursor behind the last."""
    issues, batches, sheets = EDITIONS[LANES[lane]], ledger.batches[lane], ledger.sheets(lane)
    ledger.same(f"{lane}: seqs", [row["seq"] for row in batches], list(range(1, len(batches) + 1)))
    ledger.same(
        f"{lane}: issues",
        [[item["external_id"] for row in sheet for item in payload(row)] for sheet in sheets],
        [[item["external_id"] for item in issue.items] for issue in issues],
    )
    ledger.same(f"{lane}: sheets", [len(sheet) for sheet in sheets], [issue.sheets for issue in issues])
    asked = [sheet[0]["observation"] for sheet in sheets]
    ledger.same(f"{lane}: observations in order", asked, sorted(asked))
    ledger.same(f"{lane}: cursor", ledger.cursors[lane], ({"issue": len(issues)}, len(batches)))


def _check_run(ledger: Ledger, lane: str) -> None:
    """fetched = published + repeats + quarantined, and each of them as the source has it."""
    issues = EDITIONS[LANES[lane]]
    due = {
        "pages": len(issues),
        "fetched": sum(len(issue.records) for issue in issues),
        "published": sum(len(issue.items) for issue in issues),
        "repeats": sum(issue.repeats for issue in issues),
        "quarantined": sum(issue.refused for issue in issues),
        # as JSON arrays: two brackets, and a comma between any two
        "bytes": sum(row["bytes"] - row["items"] - 1 for row in ledger.batches[lane]),
    }
    found = [{name: row[name] for name in due} for row in ledger["runs"] if row["run_id"] == run_of(lane)]
    ledger.same(f"{lane}: run", found, [due])
    refused = [(row["external_id"], row["times"]) for row in ledger["quarantine"] if row["lane"] == lane]
    ledger.same(f"{lane}: quarantine", refused, [("blank", 1)] if due["quarantined"] else [])


def _check_settled(ledger: Ledger, lane: str) -> None:
    """Every batch, in order: a transaction's are those that follow the ones before it."""
    unsettled = [row["seq"] for row in ledger.batches[lane] if row["status"] != "processed"]
    ledger.same(f"{lane}: not settled", unsettled, [])
    if not unsettled:
        together = sorted(ledger.transactions(lane).values(), key=lambda rows: rows[0]["settled_at"])
        in_order = [row["seq"] for rows in together for row in rows]
        ledger.same(f"{lane}: settled in order", in_order, sorted(in_order))


def _check_catalog(ledger: Ledger) -> None:
    """Every batch had the effect that it must have had at its turn, and nothing else has happened."""
    catalog = Catalog()
    feed: dict[str, list[dict[str, set[str]]]] = {lane: [] for lane in LANES}
    # batches of one transaction are settled in no particular order, but applied in theirs
    moments = {row["settled_by"]: row["settled_at"] for row in ledger["outbox"]}
    for row, batch in sorted(_batches(ledger), key=lambda one: (moments[one[0]["settled_by"]], one[0]["seq"])):
        counts, told = catalog.persist(batch)
        found = {name: row[name] for name in RESULTS}
        ledger.same(f"{batch.lane} {row['seq']}: results", found, {name: counts[name] for name in RESULTS})
        if any(told.values()):
            feed[batch.lane].append(told)
    _check_items(ledger, catalog)
    _check_history(ledger, catalog)
    for lane in LANES:
        ledger.same(f"{lane}: change feed", _feed(ledger, lane), feed[lane])


def _batches(ledger: Ledger) -> Iterator[tuple[Row, Batch]]:
    """Each batch with what the source said in it."""
    generations = [row["generation"] for row in ledger["listings"]]
    applied = {row["generation"] for row in ledger["listings"] if row["state"] == "applied"}
    # one that came before the last may have been overtaken by it
    ledger.same("the last register is carried out", generations[-1] in applied, True)
    for lane in LANES:
        shown: list[set[str]] = []
        for issue, sheet in zip(EDITIONS[LANES[lane]], ledger.sheets(lane), strict=True):
            named = {item["external_id"]: item for item in issue.items}
            if issue.opens:
                shown.append(set())
            if shown:
                shown[-1] |= named.keys()
            ledger.same(f"{lane}: a register is whole", any(row["generation"] for row in sheet), issue.whole)
            for row in sheet:
                items = tuple(named[item["external_id"]] for item in payload(row))
                misses = _register(row["generation"], generations[0], shown) if row["generation"] in applied else None
                yield row, Batch(lane, row["run_id"], row["observation"], items, misses)


def _register(generation: int, first: int, shown: list[set[str]]) -> Register:
    return Register(generation, first, frozenset(shown[-1]), frozenset().union(*shown[:-1]))


def _check_items(ledger: Ledger, catalog: Catalog) -> None:
    ledger.same("rows of items", len(ledger["items"]), len(catalog.entries))
    ledger.same(
        "items",
        {row["external_id"]: (_said(row), row["deleted"], row["revision"], row["run_id"]) for row in ledger["items"]},
        {
            name: (entry.said[:3], entry.deleted, len(entry.past) + 1, entry.run_id)
            for name, entry in catalog.entries.items()
        },
    )
    related = [
        (ledger.names[str(row["item_id"])], row["type"], row["target_external_id"]) for row in ledger["relations"]
    ]
    ledger.same("relations", sorted(related), sorted(catalog.relations()))


def _check_history(ledger: Ledger, catalog: Catalog) -> None:
    """Every revision but the present one, without a gap."""
    past: dict[str, list[Any]] = defaultdict(list)
    for row in ledger["history"]:
        past[ledger.names[str(row["item_id"])]].append(
            (row["revision"], _said(row["was"]), row["was"]["deleted"], row["run_id"], row["ended_by"])
        )
    due = {
        name: [(number, said[:3], *more) for number, (said, *more) in enumerate(entry.past, 1)]
        for name, entry in catalog.entries.items()
        if entry.past
    }
    ledger.same("history", dict(past), due)


def _feed(ledger: Ledger, lane: str) -> list[dict[str, set[str]]]:
    """What the change feed told of a lane, a message each."""
    told = [row["payload"] for row in ledger["feed"] if row["payload"]["lane"] == lane]
    twice = [one for one in told for kind in KINDS if len(set(one[kind])) != len(one[kind])]
    ledger.same(f"{lane}: an item twice in a message", twice, [])
    return [{kind: {ledger.names[one] for one in message[kind]} for kind in KINDS} for message in told]


def _check_source(ledger: Ledger) -> None:
    """Without any model: what the source holds is there, and nothing else."""
    there = {row["external_id"]: _said(row) for row in ledger["items"] if not row["deleted"]}
    ledger.same("the source", there, {name: content(item)[:3] for name, item in as_it_is_now().items()})


def _said(row: Row) -> tuple[Any, ...]:
    """Without its relations, which are rows of their own."""
    return content({**row, "relations": ()})[:3]
