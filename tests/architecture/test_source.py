"""The source keeps the house rules: SQL in its files, events declared, no drawers, small files."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from windrow.postgres.queries import Queries
from windrow.telemetry import catalogue, log

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "windrow"
MODULES = sorted(SOURCE.rglob("*.py"))

SQL = re.compile(
    r"\s*(SELECT\b.+|INSERT\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|(CREATE|ALTER|DROP)\s+(TABLE|ROLE|DATABASE|INDEX|SCHEMA)\b"
    r"|WITH\s+\S+\s+AS\s*\(|BEGIN\b|SET\s+(LOCAL\s+)?ROLE\b|LISTEN\s|NOTIFY\s|TRUNCATE\s)",
    re.DOTALL,
)
# LT-1: what any line may carry
ANY_LINE = {"error", "outcome", "error_class", "retry_attempt", "cursor", "request_id", "workflow_id", "run_id"}
DRAWERS = {"utils", "util", "helpers", "common", "core", "base", "manager", "service", "models", "types", "misc"}


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every string in the code that is not a docstring."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


@pytest.mark.parametrize("module", MODULES, ids=relative)
def test_there_is_no_sql_in_python_strings(module: Path) -> None:
    found = [
        f"line {text.lineno}: {text.value[:60]}"
        for text in strings(ast.parse(module.read_text()))
        if SQL.match(text.value)
    ]

    assert found == []


def calls(function: str) -> Iterator[tuple[Path, ast.Call]]:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                yield module, node


@pytest.mark.req("LT-2")
def test_every_event_that_is_said_is_declared_with_its_fields() -> None:
    for module, call in calls("emit"):
        place = f"{relative(module)}:{call.lineno}"
        name = call.args[0]
        if not isinstance(name, ast.Constant):
            continue  # chosen at run time: the strict taxonomy of the tests sees to it
        event = catalogue.events().get(name.value)
        assert event, f"{place}: {name.value} is not declared"
        given = {keyword.arg for keyword in call.keywords}
        if None in given:
            continue  # **fields
        assert set(event.fields) <= given, f"{place}: {name.value} lacks {set(event.fields) - given}"
        known = {*event.fields, *event.optional, *log.REQUIRED, *ANY_LINE}
        assert given <= known, f"{place}: {name.value} does not declare {given - known}"


@pytest.mark.req("LT-2")
def test_every_declared_event_is_said_somewhere() -> None:
    said = "\n".join(module.read_text() for module in MODULES if "catalogue" not in module.parts)
    silent = [name for name in catalogue.events() if f'"{name}"' not in said]

    assert silent == []


def test_every_named_query_is_used_and_every_used_query_is_named() -> None:
    for file in SOURCE.rglob("*.sql"):
        if "migrations" in file.parts or not re.search(r"^-- [a-z_0-9]+: ", file.read_text(), re.MULTILINE):
            continue
        named = {query.name for query in Queries(str(file), file.read_text())}
        loaders = [
            module.read_text()
            for module in file.parent.glob("*.py")
            if f'"{file.name}"' in (text := module.read_text())
            or (file.name == "queries.sql" and "load(__package__)" in text)
        ]
        used = {name for text in loaders for name in re.findall(r"\bQ\.([a-z_0-9]+)", text)}
        assert named == used, relative(file)


def test_there_is_no_drawer() -> None:
    assert [relative(path) for path in SOURCE.rglob("*") if path.stem in DRAWERS] == []


def test_no_file_has_grown_past_four_hundred_lines() -> None:
    assert [relative(module) for module in MODULES if len(module.read_text().splitlines()) > 400] == []


def test_only_the_edge_reads_the_environment() -> None:
    edge = {"cli", "app", "settings"}
    readers = [
        relative(module)
        for module in MODULES
        if edge.isdisjoint(module.relative_to(SOURCE).parts)
        and re.search(r"os\.environ|os\.getenv", module.read_text())
    ]

    assert readers == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        relative(module)
        for module in MODULES
        if module.read_text().strip() and not ast.get_docstring(ast.parse(module.read_text()))
    ]

    assert silent == []
