"""What operators are given says what the code says: dashboards and alerts query declared metrics, and every alert has its page."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from windrow.contracts.errors import FAMILY
from windrow.telemetry import catalogue
from windrow.telemetry.declare import Histogram

ROOT = Path(__file__).parents[2]
DASHBOARD = json.loads((ROOT / "ops/grafana/windrow.json").read_text())
RULES = [
    rule
    for group in yaml.safe_load((ROOT / "ops/prometheus/alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
]
RUNBOOK = ROOT / "docs/runbook"
CHANNELS = {"security", "ops", "pager", "maintainers"}

# Prometheus's own, and what it adds to whatever it scrapes
SCRAPED, ADDED = {"up": {"job"}}, {"job", "instance", "le"}
WORDS = {"by", "without", "and", "or", "unless", "on", "ignoring", "group_left", "group_right", "offset", "bool"}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SELECTOR = re.compile(rf"(?P<name>{NAME})\s*(?:\{{(?P<matchers>[^}}]*)\}})?(?!\s*\(|[a-zA-Z0-9_:])")


def queries() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        yield f"alert {rule['alert']}", rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield f"panel {panel['title']}", target["expr"]


QUERIES = list(queries())


def metrics_of(query: str) -> dict[str, set[str]]:
    """The metrics that a query names, each with the labels that it selects by."""
    found: dict[str, set[str]] = {}
    plain = re.sub(r"\[[^\]]*\]|\boffset\s+\w+|(?:by|without|on|ignoring)\s*\([^)]*\)", " ", query)
    for one in SELECTOR.finditer(plain):
        if one["name"] not in WORDS and not one["name"].isdigit():
            labels = re.findall(rf"({NAME})\s*(?:=~|!~|!=|=)", one["matchers"] or "")
            found.setdefault(one["name"], set()).update(labels)
    return found


def grouping_of(query: str) -> set[str]:
    groups = re.findall(r"\b(?:by|on)\s*\(([^)]*)\)", query)
    return {label.strip() for group in groups for label in group.split(",")}


def labels_of(name: str) -> set[str] | None:
    """The labels of a declared metric, by any name under which Prometheus shows it; None if nobody declares it."""
    declared = catalogue.metrics()
    if name in SCRAPED:
        return SCRAPED[name]
    if name in declared:
        return None if isinstance(declared[name], Histogram) else set(declared[name].labels)
    family = declared.get(re.sub(r"_(bucket|sum|count)$", "", name))
    return set(family.labels) if isinstance(family, Histogram) else None


@pytest.mark.req("MW-62")
@pytest.mark.parametrize(("where", "query"), QUERIES, ids=[where for where, _ in QUERIES])
def test_every_metric_that_is_queried_is_declared_with_its_labels(where: str, query: str) -> None:
    used = metrics_of(query)

    assert used
    for name, selected in used.items():
        declared = labels_of(name)
        assert declared is not None, f"{name} is not declared"
        assert selected | grouping_of(query) <= declared | ADDED, f"{name} has only {declared}"


def test_a_query_is_read_as_prometheus_reads_it() -> None:
    query = 'sum by (le, a) (rate(x_total{b=~"c|d", e!="f"}[5m])) / on (a) y_count > 0.5 unless max(z offset 15m) == 1'

    assert metrics_of(query) == {"x_total": {"b", "e"}, "y_count": set(), "z": set()}
    assert grouping_of(query) == {"le", "a"}
    assert labels_of("invented_total") is None
    assert labels_of("harvest_latency_seconds") is None  # only its buckets, sum and count are on the page
    assert labels_of("harvest_latency_seconds_bucket") == {"directive"}


def test_a_legend_shows_only_what_the_query_groups_by() -> None:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert shown <= grouping_of(target["expr"]), panel["title"]


def test_a_choice_on_the_dashboard_is_one_of_a_declared_label() -> None:
    asked = [each["query"]["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]

    for query in asked:
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()
        assert label in (labels_of(metric) or set())


def test_panels_do_not_lie_over_one_another() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]

    assert len(set(ids)) == len(ids)
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


@pytest.mark.req("MW-62")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_who_hears_of_it_and_where_it_is_told_what_to_do(rule: dict[str, Any]) -> None:
    page = ROOT / rule["annotations"]["runbook"]

    assert rule["labels"]["channel"] in CHANNELS
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert rule["annotations"]["summary"]
    assert rule["alert"] in page.read_text()
    assert rule["alert"] in (RUNBOOK / "README.md").read_text()


def test_every_page_about_an_alert_has_its_alert() -> None:
    told = {rule["annotations"]["runbook"] for rule in RULES}

    assert {str(page.relative_to(ROOT)) for page in (RUNBOOK / "alerts").glob("*.md")} == told


@pytest.mark.req("MW-26")
@pytest.mark.parametrize("name", [each.__name__ for each in FAMILY])
def test_every_class_of_errors_has_a_page_that_says_what_it_means_what_to_look_at_and_what_to_do(name: str) -> None:
    page = (RUNBOOK / "classes" / f"{name}.md").read_text()

    assert [line for line in page.splitlines() if line.startswith("## ")][:3] == [
        "## What it means",
        "## What to look at",
        "## What to do",
    ]


@pytest.mark.req("MW-26")
def test_a_systemic_fatal_ends_in_a_decision_record() -> None:
    page = (RUNBOOK / "classes" / "Fatal.md").read_text()

    assert "(../decision-record.md)" in page
    template = (RUNBOOK / "decision-record.md").read_text()
    assert {"## What happened", "## Why it could happen", "## What we decided", "## How we know"} <= set(
        template.splitlines()
    )


PAGES = sorted(RUNBOOK.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(RUNBOOK)))
def test_a_link_in_the_runbook_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())

    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(RUNBOOK)))
def test_a_command_in_the_runbook_is_one_that_there_is(page: Path) -> None:
    from windrow.cli.tree import tree

    known = {group.name: group.typer_instance for group in tree.registered_groups if group.name}
    plain = {command.name for command in tree.registered_commands}
    for word, rest in re.findall(r"windrow ([a-z]+)((?: [a-z-]+)?)", page.read_text()):
        assert word in plain | known.keys(), f"windrow {word}"
        below = (
            {command.name or command.callback.__name__ for command in known[word].registered_commands}
            if word in known
            else set()
        )
        if (second := rest.strip()) and below and not known[word].info.invoke_without_command:
            assert second in below, f"windrow {word} {second}"
