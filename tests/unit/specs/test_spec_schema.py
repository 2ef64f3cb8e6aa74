"""The published JSON Schema takes what we take and refuses what we refuse, as far as one file alone can tell."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.unit.specs.sample import WHOLE, broken

from windrow.specs import SHIPPED, read, schema
from windrow.specs.document import parse

PUBLISHED = json.loads((Path(__file__).parents[3] / "docs" / "reference" / "specs.schema.json").read_text())


def test_the_published_schema_is_one_and_that_of_the_models() -> None:
    Draft202012Validator.check_schema(PUBLISHED)

    assert json.loads(json.dumps(schema())) == PUBLISHED, "draw it anew with `make docs`"


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.yaml")), ids=lambda file: file.name)
def test_the_schema_takes_the_files_that_windrow_comes_with(file: Path) -> None:
    assert list(Draft202012Validator(PUBLISHED).iter_errors(parse(file.name, file.read_bytes()).value)) == []


def taken_by_the_schema(value: Any) -> bool:
    return bool(Draft202012Validator(PUBLISHED).is_valid(value))


@pytest.mark.parametrize(
    ("written", "instead", "taken"),
    [
        ("", "", True),
        ("attempts: null", "attempts: 3", True),
        ("spread: 0.5", "spread: 1", True),
        ("runtime: python", "runtime: go", False),
        ("retention_days: 30", "retention_days: thirty", False),
        ("retention_days: 30", "retention_days: 30.5", False),
        ("retention_days: 30", "retention_days: 0", False),
        ("    owner: platform\n", "", False),
        ("    owner: platform\n", "    owner: ''\n", False),
        ("    owner: platform\n", "    owner: platform\n    colour: red\n", False),
        ("  harvesters:\n", "  har-vesters:\n", False),
        ("queues: [meta-py]", "queues: []", False),
        ("queues: [meta-py]", "queues: meta-py", False),
        ("queues: [meta-py]", "queues: [7]", False),
        ("agents:\n", "people: {}\nagents:\n", False),
        ("harvester: {says: Reads.}", "harvester: reads", False),
        ("page_size: 100\n    retries: [", "page_size: 20\n    retries: [", False),
        ("    backoff: runs\n", "    backoff: runs\n    heartbeat_seconds: 31\n", False),
        ('version: "1"\n    agent: harvester\n    queue: meta-ts', 'version: one\n    agent: harvester\n    queue: meta-ts', False),
    ],
)  # fmt: skip
def test_the_schema_and_the_models_agree(tmp_path: Path, written: str, instead: str, taken: bool) -> None:
    text = broken(written, instead) if written else WHOLE
    (tmp_path / "sample.yaml").write_text(text)

    assert (taken_by_the_schema(parse("sample.yaml", text.encode()).value), not read(tmp_path).findings) == (
        taken,
        taken,
    )
