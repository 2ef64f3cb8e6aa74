"""Draws the pages under docs/reference/ from the code. `make docs` writes them; a test fails when one is out of date."""

import asyncio
import inspect
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from windrow import specs
from windrow.cli import frame
from windrow.cli.tree import tree
from windrow.connectors import describe, registry
from windrow.connectors.conformance import CHECKS
from windrow.contracts import errors, item, retry
from windrow.orchestration.namespace import days, named
from windrow.postgres.migrate import migrate
from windrow.settings import variables
from windrow.stack import UNSAFE_BUT_FAST, EmbeddedPostgres, Stack, StackConfig
from windrow.stack.programs import postgres_install
from windrow.telemetry import catalogue, log

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
DRAWN = "<!-- drawn by `make docs`: change the code, not this page -->"


def page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", DRAWN, *parts]) + "\n"


def grid(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    def line(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(head), line("---" for _ in head), *(line(row) for row in rows)])


def settings() -> str:
    rows = []
    for names, field in variables().values():
        default = field.default
        shown = (
            "not set"
            if default is None
            else " ".join(default) or "empty"
            if isinstance(default, tuple)
            else str(default)
        )
        rows.append(
            (
                ", ".join(f"`{name}`" for name in names),
                f"`{shown}`" if default is not None else shown,
                field.description,
            )
        )
    return page(
        "Settings",
        "Read once, when a process starts. A process that finds a wrong one says which, and ends.",
        grid(("variable", "default", "meaning"), rows),
    )


def log_events() -> str:
    always = ", ".join(f"`{name}`" for name in ("timestamp", "level", "event", *log.REQUIRED))
    parts = [
        f"Every line carries {always}; inside a workflow or activity also `workflow_id` and `run_id`. What is not known yet is the word `unknown`."
    ]
    for area in catalogue.areas():
        rows = [
            (
                f"`{event.name}`",
                event.level,
                event.says,
                ", ".join([*event.fields, *(f"{name}?" for name in event.optional)]),
            )
            for event in area.EVENTS
        ]
        parts += [
            f"## {area.__name__.rpartition('.')[2]}",
            inspect.getdoc(area) or "",
            grid(("event", "level", "meaning", "fields"), rows),
        ]
    return page("Log events", *parts)


def metrics() -> str:
    families = grid(
        ("metric", "kind", "labels", "meaning"),
        [
            (f"`{metric.name.replace('.', '_')}`", metric.kind, ", ".join(metric.labels), metric.says)
            for metric in sorted(catalogue.metrics().values(), key=lambda each: each.name)
        ],
    )
    spans = grid(
        ("span", "attributes", "meaning"),
        [(f"`{span.name}`", ", ".join(span.attributes), span.says) for span in catalogue.spans().values()],
    )
    return page(
        "Metrics and spans",
        "`windrow up` serves the metrics for Prometheus and prints where; `WINDROW_OTLP_ENDPOINT` sends both by OTLP. Metrics carry no ids as labels: ids are in logs and spans.",
        "## Metrics",
        families,
        "## Spans",
        spans,
    )


def error_family() -> str:
    classes = [
        (f"`{kind.__name__}`", inspect.getdoc(kind), _policy(policy), frame.EXIT_CODES[kind])
        for kind, policy in retry.POLICIES.items()
    ]
    source = inspect.getsource(errors.Code)
    codes = re.findall(r'^    (?:# (\w+)|(\w+) = "\w+"(?:  # (.*))?)$', source, re.MULTILINE)
    rows, current = [], ""
    for heading, code, meaning in codes:
        current = heading or current
        if code:
            rows.append((f"`{code}`", f"`{current}`", meaning or code.replace("_", " ").lower()))
    return page(
        "Errors",
        "The class decides what happens next, the code says what happened, the hint of an error says what a person can do.",
        grid(("class", "meaning", "tried again", "exit code"), classes),
        grid(("code", "usual class", "meaning"), rows),
    )


def _policy(policy: retry.RetryPolicy) -> str:
    if policy is retry.NEVER:
        return "never"
    jitter = f", jittered down by up to {policy.spread:.0%}" if policy.spread else ""
    return f"after {policy.first.total_seconds():g} s, doubling to {policy.ceiling.total_seconds():g} s, {policy.attempts} attempts{jitter}"


def command_line() -> str:
    parts = [inspect.getdoc(frame).split("\n\n")[1].replace("\n", " ")]  # type: ignore[union-attr]
    _describe(typer.main.get_command(tree), "windrow", parts)
    return page("The command line", *parts)


def _describe(command: Any, path: str, parts: list[str]) -> None:
    if inner := getattr(command, "commands", None):
        parts += [f"## {path}" if path == "windrow" else f"## {path} …", command.help or ""]
        for name, each in inner.items():
            _describe(each, f"{path} {name}", parts)
        return
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [
        parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and "--help" not in parameter.opts
    ]
    usage = " ".join([path, *(_metavar(argument) for argument in arguments), "[OPTIONS]" if options else ""]).strip()
    parts += [f"### {path}", inspect.cleandoc(command.help or ""), f"```\n{usage}\n```"]
    rows = [(_metavar(argument), argument.help or "") for argument in arguments]
    rows += [(f"`{', '.join(option.opts)}`", option.help or "") for option in options]
    if rows:
        parts.append(grid(("argument or option", "meaning"), rows))


def _metavar(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def connectors() -> str:
    parts = [
        "What can be harvested out of the box. `windrow connectors` lists what is installed, with those of other distributions; [write one](../how-to/write-a-connector.md)."
    ]
    for offer in registry.offered():
        # what somebody has installed beside Windrow is not part of its pages
        if any(distribution.startswith("windrow ") for distribution in offer.distributions):
            parts += _connector(offer)
    parts += [
        "## What every connector keeps",
        "`windrow connectors check NAME FIELD=VALUE…` asks it, in this order.",
        grid(("check", "asks"), [(f"`{check.name}`", check.says) for check in CHECKS]),
    ]
    return page("Connectors", *parts)


def _connector(offer: registry.Offered) -> list[str]:
    if offer.connector is None:
        return [f"## {offer.name}", f"Cannot be used: {offer.broken}"]
    spec = offer.connector.spec
    about = {
        "version": spec.version,
        "source system": f"`{spec.source_system}`",
        "can": ", ".join(describe.abilities(spec)),
        "credential": describe.credential(spec),
        "page sizes": describe.pages(spec),
        "calls at once": spec.max_concurrency,
        "queue": f"`{spec.queue}`",
    }
    fields = [
        (f"`{field.name}`", field.kind, _default(field), field.help) for field in describe.fields(offer.connector)
    ]
    return [
        f"## {offer.name}",
        f"{spec.title}.",
        grid(("", ""), about.items()),
        grid(("field", "kind", "default", "meaning"), fields),
    ]


def _default(field: describe.Field) -> str:
    if field.required:
        return "required"
    return "none" if field.default in (None, [], {}, "") else f"`{json.dumps(field.default).strip(chr(34))}`"


def normalized_item() -> str:
    published = item.schema()["$defs"]
    given = item.item_schema()["$defs"]["Item"]["properties"]
    whole = published["NormalizedItem"]
    added = {name: part for name, part in whole["properties"].items() if name not in given}
    sections = {
        "What the source says": (given, whole["required"]),
        "What the harvest adds": (added, whole["required"]),
        "provenance": (published["Provenance"]["properties"], published["Provenance"]["required"]),
        "relations": (published["Relation"]["properties"], published["Relation"]["required"]),
    }
    parts = [
        f"`{item.CONTRACT}`: what every source's things become. [normalized-item.schema.json](normalized-item.schema.json) is the same as JSON Schema, and what it does not name is refused.",
        f"An item is at most {item.LARGEST_ITEM >> 10} KiB as JSON, its `attributes` {item.LARGEST_ATTRIBUTES >> 10} KiB and {item.DEEPEST_ATTRIBUTES} levels. Content has no place in it: that goes by signed URL.",
    ]
    for heading, (fields, required) in sections.items():
        rows = [
            (f"`{name}`", _shape(part), "yes" if name in required else "", part.get("description", ""))
            for name, part in fields.items()
        ]
        parts += [f"## {heading}", grid(("field", "type", "required", "meaning"), rows)]
    return page("The normalized item", *parts)


def _shape(part: dict[str, Any]) -> str:
    """A field's type and limits, in words."""
    if "$ref" in part:
        return f"[{part['$ref'].rpartition('/')[2].lower()}](#{part['$ref'].rpartition('/')[2].lower()})"
    if "anyOf" in part:
        return " or ".join(_shape(each) for each in part["anyOf"])
    if part.get("type") == "array":
        most = f", at most {part['maxItems']}" if "maxItems" in part else ""
        inner = part["items"]
        return f"list{most}: {'see [relations](#relations)' if '$ref' in inner else _shape(inner)}"
    if part.get("format") == "date-time":
        return "time with zone"
    words = {"string": "text", "object": "object", "integer": "whole number", "boolean": "yes or no", "null": "nothing"}
    low, high = part.get("minLength"), part.get("maxLength")
    size = "" if high is None else f" of {high}" if low == high else f", {low or 0} to {high}"
    rule = f", `{part['pattern']}`" if "pattern" in part else ""
    return words[part["type"]] + size + rule


def item_schema() -> str:
    return json.dumps(item.schema(), indent=2) + "\n"


def spec_schema() -> str:
    return json.dumps(specs.schema(), indent=2) + "\n"


def agents() -> str:
    declared = specs.load()
    spoken = {
        agent: [name for name, each in declared.directives.items() if each.agent == agent] for agent in declared.agents
    }
    parts = [
        "Who acts, what they are told, where and within which limits: the specs that Windrow comes with (`src/windrow/specs/data`), as a page. [Specs](explanation/specs.md) tells how to read and change them; `windrow specs check` compares them with the code.",
        "## Agents",
        grid(
            ("agent", "directives", "what it does"),
            [(f"`{name}`", _ticked(spoken[name]), each.says) for name, each in declared.agents.items()],
        ),
        "## Directives",
        "A connector is a directive of its own: `directive=git` in log lines. One that another distribution brings declares itself.",
        grid(
            ("directive", "spec", "agent", "queue", "workflow", "family", "page size", "heartbeat", "what it is told"),
            [
                (
                    f"`{name}`",
                    f"`{declared.spec_ref(name)}`",
                    f"`{each.agent}`",
                    f"`{each.queue}`",
                    f"`{each.workflow}`",
                    f"`{each.family}`",
                    each.page_size,
                    f"{each.heartbeat_seconds} s",
                    each.says,
                )
                for name, each in declared.directives.items()
            ],
        ),
        grid(
            ("directive", "retries within a run", "between runs", "contracts that cross queues"),
            [
                (
                    f"`{name}`",
                    _ticked(each.retries),
                    _ticked([each.backoff] if each.backoff else []),
                    _ticked(each.contracts),
                )
                for name, each in declared.directives.items()
            ],
        ),
    ]
    return page("Agents and directives", *parts, *_runtime(declared))


def _runtime(declared: specs.Specs) -> list[str]:
    return [
        "## Workflows",
        grid(
            ("workflow", "queue", "activities on", "family", "what it does"),
            [
                (f"`{name}`", f"`{each.queue}`", _ticked(each.activity_queues), f"`{each.family}`", each.says)
                for name, each in declared.workflows.items()
            ],
        ),
        "## Activities",
        grid(
            ("activity", "queues", "what it does"),
            [(f"`{name}`", _ticked(each.queues), each.says) for name, each in declared.activities.items()],
        ),
        "## Queues",
        grid(
            ("queue", "runtime", "what it is for"),
            [(f"`{name}`", each.runtime, each.says) for name, each in declared.queues.items()],
        ),
        "## Namespaces",
        "One for each family in each environment; [how they are applied](how-to/namespaces.md).",
        grid(
            ("family", "in `prod`", "owner", "contact", "retention", "encryption", "what it is for"),
            [
                (
                    f"`{name}`",
                    f"`{named('prod', '.', name)}`",
                    each.owner,
                    each.contact,
                    days(each.retention),
                    f"`{each.encryption}`",
                    each.says,
                )
                for name, each in declared.families.items()
            ],
        ),
        "## Retries",
        grid(
            ("policy", "error class", "tried again", "when"),
            [
                (f"`{name}`", each.error_class or "", _waits(each.policy), each.says)
                for name, each in declared.retries.items()
            ],
        ),
    ]


def _ticked(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _waits(policy: retry.RetryPolicy) -> str:
    return "never" if policy == retry.NEVER else _policy(policy).replace("None attempts", "as often as it takes")


def schema(url: str) -> str:
    """The schema as the migrations leave it, without what differs from server to server."""
    dump = subprocess.run(
        [postgres_install() / "bin" / "pg_dump", "--schema-only", "--no-owner", "--schema=windrow", f"--dbname={url}"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    kept = [
        line for line in dump.splitlines() if not line.startswith(("--", "SET ", "SELECT pg_catalog.set_config", "\\"))
    ]
    return (
        "-- drawn by `make docs` from the migrations: change those, not this file\n"
        + re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
        + "\n"
    )


PAGES = {
    "settings.md": settings,
    "log-events.md": log_events,
    "metrics.md": metrics,
    "errors.md": error_family,
    "cli.md": command_line,
    "connectors.md": connectors,
    "normalized-item.md": normalized_item,
    "normalized-item.schema.json": item_schema,
    "specs.schema.json": spec_schema,
    "../Agent.md": agents,
}


async def _schema_of_a_new_database() -> str:
    directory = Path(tempfile.mkdtemp(prefix="windrow-docs-"))
    directory.chmod(0o711)  # noqa: ASYNC240 - nothing else runs here
    try:
        async with Stack(
            StackConfig(directory / "home", EmbeddedPostgres(settings=UNSAFE_BUT_FAST), temporal=None)
        ) as stack:
            await migrate(stack.database_url)
            return schema(stack.database_url)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def main() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, draw in PAGES.items():
        (REFERENCE / name).write_text(draw())
    (REFERENCE / "schema.sql").write_text(asyncio.run(_schema_of_a_new_database()))


if __name__ == "__main__":
    main()
