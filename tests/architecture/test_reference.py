"""The reference pages say what the code says: every setting, event, metric, error, command and table."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def _reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = _reference()


@pytest.mark.req("LT-2")
@pytest.mark.parametrize("name", reference.PAGES)
def test_a_drawn_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text()

    assert written == reference.PAGES[name](), "draw it anew with `make docs`"


def test_the_migrations_from_empty_equal_the_documented_schema(database_url: str) -> None:
    written = (ROOT / "docs" / "reference" / "schema.sql").read_text()

    assert written == reference.schema(database_url), "draw it anew with `make docs`"
