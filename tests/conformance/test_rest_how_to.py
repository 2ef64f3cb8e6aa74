"""The definitions of docs/how-to/harvest-rest.md are whole ones: taken from the page, they keep what every connector has to."""

from pathlib import Path

import pytest
from tests.conformance import subjects, subjects_rest

from windrow.connectors.conformance import Result, Verdict, examine

# what a definition's own words put aside; the third one is the subject of `test_connectors`
ASIDE = {"wiki": {"listing"}, "tracker": {"incremental"}}


async def examined(name: str, tmp_path: Path) -> list[Result]:
    subject = subjects_rest.subject(tmp_path, name)
    try:
        candidate = subjects.candidate(subject, tmp_path / "cache")
        candidate.connector = subject.connector.suited(candidate.config, candidate.context)
        return [each async for each in examine(candidate)]
    finally:
        subject.close()


@pytest.mark.req("HV-1", "OR-24")
@pytest.mark.parametrize("name", ASIDE)
async def test_an_example_on_the_page_conforms(name: str, tmp_path: Path) -> None:
    found = await examined(name, tmp_path)

    assert [each for each in found if each.verdict is Verdict.FAILED] == []
    assert {each.name for each in found if each.verdict is Verdict.SKIPPED} == ASIDE[name]
