"""Workflows are pure, and their lifecycle is drawn as it is."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from windrow.orchestration.lifecycle import ENDS, FOLLOWS, State, diagram

ROOT = Path(__file__).parents[2]
ORCHESTRATION = ROOT / "src" / "windrow" / "orchestration"
PURE = sorted(
    [
        *(ORCHESTRATION / "workflows").glob("*.py"),
        *(ROOT / "src" / "windrow" / "contracts").glob("*.py"),
        *(ORCHESTRATION / f"{name}.py" for name in ("lifecycle", "failure", "names")),
    ]
)
OURS = (
    "windrow.contracts",
    "windrow.orchestration.workflows",
    "windrow.orchestration.lifecycle",
    "windrow.orchestration.failure",
    "windrow.orchestration.names",
)
# of the standard library: what computes. `asyncio` is the workflow's own loop; its clock and its chance are Temporal's
COMPUTES = frozenset(
    [
        "abc",
        "asyncio",
        "base64",
        "collections",
        "contextlib",
        "dataclasses",
        "datetime",
        "enum",
        "errno",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "math",
        "re",
        "types",
        "typing",
        "unicodedata",
        "uuid",
    ]
)
TOUCHES = {("datetime", "now"), ("datetime", "utcnow"), ("uuid", "uuid4"), ("uuid", "uuid1"), ("asyncio", "to_thread")}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from windrow.orchestration import names` imports a module
            is_package = node.module == "windrow.orchestration"
            yield from (f"{node.module}.{alias.name}" if is_package else node.module for alias in node.names)


def is_pure(module: str, *, in_contracts: bool) -> bool:
    top = module.partition(".")[0]
    if top == "windrow":
        return module.startswith(OURS)
    if top in sys.stdlib_module_names:
        return top in COMPUTES
    return top == "temporalio" if not in_contracts else top == "msgspec"


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(ROOT / "src" / "windrow")))
def test_what_a_workflow_imports_does_not_touch_the_world(path: Path) -> None:
    in_contracts = path.parent.name == "contracts"

    assert [module for module in imported(path) if not is_pure(module, in_contracts=in_contracts)] == []


@pytest.mark.parametrize("path", sorted((ORCHESTRATION / "workflows").glob("*.py")), ids=lambda path: path.name)
def test_a_workflow_takes_time_and_chance_from_temporal(path: Path) -> None:
    called = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    dotted = {
        (one.value.id, one.attr) for one in called if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }

    assert dotted & TOUCHES == set()


def test_the_lifecycle_is_drawn_in_the_docs_as_it_is() -> None:
    page = (ROOT / "docs" / "explanation" / "orchestration.md").read_text()

    assert f"```mermaid\n{diagram()}\n```" in page, "draw it anew from `lifecycle.diagram()`"


def test_every_state_can_be_reached_and_left() -> None:
    assert set().union(*FOLLOWS.values()) | {State.PENDING} == set(State)
    assert {state for state, after in FOLLOWS.items() if not after} == ENDS
    assert all(State.CANCELLED in after for state, after in FOLLOWS.items() if state not in ENDS)
