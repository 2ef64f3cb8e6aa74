"""The connector of docs/how-to/write-a-connector.md is a whole one: taken from the page, it keeps what all have to."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conformance import subjects

from windrow.connectors.conformance import Verdict, examine
from windrow.connectors.connector import Connector

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-connector.md"


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Connector[Any]]]:
    """The page's example, installed as a module of somebody else's."""
    example = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert example
    (tmp_path / "my_books.py").write_text(example[1])
    monkeypatch.syspath_prepend(tmp_path)
    import my_books  # type: ignore[import-not-found]

    yield my_books.Books
    del sys.modules["my_books"]


@pytest.mark.req("HV-1")
async def test_the_example_on_the_page_conforms(books: type[Connector[Any]], tmp_path: Path) -> None:
    file = tmp_path / "books.jsonl"
    rows = [{"id": number, "title": f"Volume {number}", "labels": ["a"]} for number in range(130)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def mutate() -> None:
        rows[7]["title"] = "Volume 7, revised"
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows if row["id"] != 42))

    subject = subjects.Subject(
        name="books", connector=books, config={"path": str(file)}, permits_root=tmp_path, mutate=mutate
    )
    found = [each async for each in examine(subjects.candidate(subject, tmp_path / "cache"))]

    assert [each for each in found if each.verdict is Verdict.FAILED] == []
    assert {each.name for each in found if each.verdict is Verdict.SKIPPED} == {"incremental", "secrets"}
