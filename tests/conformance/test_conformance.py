"""The suite itself: good connectors pass, and each broken one fails exactly the check that was made for it."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.conformance import broken_shelves, subjects
from tests.conformance.shelves import LIBRARIES, Book, Library, ListedShelves, Shelves, subject

from windrow.connectors.conformance import CHECKS, Limits, Result, Verdict, examine
from windrow.connectors.connector import Connector
from windrow.contracts.page import Page

# nothing here is slow: what takes that long hangs, and one that does not end is given up sooner
BRIEF = Limits(pages=12, seconds=60, quiet=0.01, prompt=2)


@pytest.fixture
async def _tidied() -> AsyncIterator[None]:
    yield
    for task in broken_shelves.LEFT_TASKS:
        task.cancel()
    await asyncio.gather(*broken_shelves.LEFT_TASKS, return_exceptions=True)
    for number in broken_shelves.LEFT_FILES:
        os.close(number)
    broken_shelves.LEFT_TASKS.clear()
    broken_shelves.LEFT_FILES.clear()


async def results(connector: type[Connector[Any]], tmp_path: Path, **changed: Any) -> dict[str, Result]:
    candidate = subjects.candidate(subject(connector, tmp_path, **changed), tmp_path / "cache", limits=BRIEF)
    return {result.name: result async for result in examine(candidate)}


def named(found: dict[str, Result], verdict: Verdict) -> set[str]:
    return {name for name, each in found.items() if each.verdict is verdict}


@pytest.mark.parametrize(("connector", "aside"), [(Shelves, {"listing"}), (ListedShelves, {"incremental"})])
async def test_a_good_connector_passes_every_check_that_concerns_it(
    connector: type[Connector[Any]], aside: set[str], tmp_path: Path
) -> None:
    found = await results(connector, tmp_path)

    assert [each for each in found.values() if each.verdict is Verdict.FAILED] == []
    assert named(found, Verdict.SKIPPED) == aside
    assert list(found) == [check.name for check in CHECKS]


async def test_a_cursor_may_tell_the_moment_at_which_its_pass_began(tmp_path: Path) -> None:
    class Dated(Shelves):
        def page(self, books: list[Book], since: int, last: bool) -> Page:
            page = super().page(books, since, last)
            return replace(page, cursor={**page.cursor, "begun": self.context.now().isoformat()})

    found = await results(Dated, tmp_path)

    assert named(found, Verdict.FAILED) == set(), found


@pytest.mark.req("HV-1")
@pytest.mark.usefixtures("_tidied")
@pytest.mark.parametrize(
    ("connector", "check"), broken_shelves.BROKEN.items(), ids=[each.__name__ for each in broken_shelves.BROKEN]
)
async def test_a_broken_connector_fails_the_check_made_for_it_and_no_other(
    connector: type[Connector[Any]], check: str, tmp_path: Path
) -> None:
    found = await results(connector, tmp_path)

    assert named(found, Verdict.FAILED) == {check}, found
    assert found[check].detail
    assert found[check].hint


def test_every_check_has_a_connector_that_fails_it() -> None:
    assert {check.name for check in CHECKS} == set(broken_shelves.BROKEN.values())


def test_every_check_says_what_it_asks() -> None:
    assert [check.name for check in CHECKS if not check.says.endswith(".")] == []


async def test_without_a_way_to_change_the_source_those_checks_are_skipped_with_the_reason(tmp_path: Path) -> None:
    found = await results(Shelves, tmp_path, mutate=None)

    assert named(found, Verdict.SKIPPED) == {"listing", "deletes", "changes"}
    assert "mutate" in found["deletes"].detail


async def test_an_empty_source_conforms(tmp_path: Path) -> None:
    made = subject(Shelves, tmp_path, mutate=None)
    LIBRARIES[str(tmp_path)] = Library()

    found = {
        result.name: result async for result in examine(subjects.candidate(made, tmp_path / "cache", limits=BRIEF))
    }

    assert named(found, Verdict.FAILED) == set()


async def test_a_check_that_takes_too_long_fails_and_the_next_is_asked(tmp_path: Path) -> None:
    class Hangs(Shelves):
        async def prepare(self) -> Any:
            await asyncio.Event().wait()

    candidate = subjects.candidate(subject(Hangs, tmp_path), tmp_path / "cache", limits=Limits(seconds=0.05))

    found = {result.name: result async for result in examine(candidate)}

    assert named(found, Verdict.FAILED) == {"prepare"}
    assert found["spec"].verdict is Verdict.PASSED


async def test_a_credential_is_not_in_the_report_that_tells_of_it(tmp_path: Path) -> None:
    found = await results(broken_shelves.TellsInAFinding, tmp_path, credential="correct-horse-battery")

    assert "correct-horse-battery" not in repr(found)
    assert "a finding" in found["secrets"].detail


async def test_nothing_is_made_up_about_a_source_that_cannot_be_read(tmp_path: Path) -> None:
    found = await results(Shelves, tmp_path, config={"library": "burnt down"})

    assert named(found, Verdict.FAILED) == {"prepare"}
    assert named(found, Verdict.PASSED) == {"spec"}


async def test_what_the_harvest_mends_is_no_fault_of_the_connector(tmp_path: Path) -> None:
    class Odd(Shelves):
        def item(self, record: Any) -> Any:
            odd = {"title": "a\0b", "half": "\ud800", "number": float("nan")}
            return {"entity_type": "book", "external_id": record.number, "display_name": "a\0", "attributes": odd}

    found = await results(Odd, tmp_path)

    assert found["contract"].verdict is Verdict.PASSED


async def test_every_reason_against_an_item_is_told(tmp_path: Path) -> None:
    found = await results(broken_shelves.NamesKindsBadly, tmp_path)

    assert "entity_type: 'A Book' does not match" in found["contract"].detail
    assert "'color' was unexpected" in found["contract"].detail
