"""Records as items."""

from collections.abc import Iterator
from typing import Any

from windrow.connectors.postgres.figures import about, fitting
from windrow.connectors.postgres.naming import external_id
from windrow.contracts.item import Item, Relation

# attributes have 64 KiB in all; a table of 1600 columns with long names has more to say than that
ROOM_FOR_COLUMNS = 40 * 1024
ROOM_FOR_KEYS = 16 * 1024
MOST_RELATIONS = 2000
_ENTITIES = {"r": "table", "p": "table", "v": "view", "m": "materialized_view", "f": "foreign_table"}

Record = dict[str, Any]


def item(record: Record) -> Item:
    """What the server says about one thing."""
    match record["kind"]:
        case "database":
            return _database(record)
        case "schema":
            return _schema(record)
        case kind:
            return _relation(record, _ENTITIES[kind])


def _database(record: Record) -> Item:
    named = external_id(record["name"])
    return Item(
        entity_type="database",
        external_id=named,
        display_name=record["name"],
        canonical_path=named,
        owners=(record["owner"],),
        attributes=_said(
            comment=record["comment"],
            encoding=record["encoding"],
            collation=record["collation"],
            server_version=record["server"],
            bytes_about=about(record["bytes"]),
        ),
    )


def _schema(record: Record) -> Item:
    named = external_id(record["database"], record["name"])
    return Item(
        entity_type="schema",
        external_id=named,
        display_name=record["name"],
        canonical_path=named,
        owners=(record["owner"],),
        attributes=_said(comment=record["comment"]),
        relations=(Relation("parent", external_id(record["database"])),),
    )


def _relation(record: Record, entity: str) -> Item:
    named = external_id(record["database"], record["schema"], record["name"])
    return Item(
        entity_type=entity,
        external_id=named,
        display_name=record["name"],
        canonical_path=named,
        owners=(record["owner"],),
        labels=tuple(_labels(record)),
        attributes=_attributes(record),
        relations=tuple(sorted(set(_relations(record)))[:MOST_RELATIONS]),
    )


def _labels(record: Record) -> Iterator[str]:
    marks = {
        "partitioned": record["kind"] == "p",
        "partition": record["is_partition"],
        "unlogged": record["is_unlogged"],
        "row-security": record["has_policies"],
    }
    return (label for label, has in marks.items() if has)


def _attributes(record: Record) -> dict[str, Any]:
    columns = [_column(each) for each in record["columns"]]
    shown = fitting(columns, ROOM_FOR_COLUMNS)
    if len(shown) < len(columns):
        plain = [{name: value for name, value in each.items() if name != "comment"} for each in columns]
        shown = fitting(plain, ROOM_FOR_COLUMNS)
    unique = [each["columns"] for each in record["keys"] if each["kind"] == "u"]
    foreign = [_foreign(each, record["database"]) for each in record["keys"] if each["kind"] == "f"]
    return _said(
        comment=record["comment"],
        columns=shown,
        columns_left_out=len(columns) - len(shown) or None,
        primary_key=next((each["columns"] for each in record["keys"] if each["kind"] == "p"), None),
        unique_keys=fitting(unique, ROOM_FOR_KEYS // 2) or None,
        foreign_keys=fitting(foreign, ROOM_FOR_KEYS // 2) or None,
        rows_about=about(record["rows"]) if record["kind"] in "rm" else None,
        bytes_about=about(record["bytes"]) if record["kind"] in "rm" else None,
    )


def _column(row: Record) -> dict[str, Any]:
    return _said(
        name=row["name"],
        type=row["type"],
        required=row["required"] or None,
        default=row["has_default"] or None,
        identity=row["is_identity"] or None,
        generated=row["is_generated"] or None,
        comment=row["comment"],
    )


def _foreign(key: Record, database: str) -> dict[str, Any]:
    return {
        "columns": key["columns"],
        "references": external_id(database, key["target_schema"], key["target"]),
        "target_columns": key["target_columns"],
    }


def _relations(record: Record) -> Iterator[Relation]:
    database = record["database"]
    yield Relation("parent", external_id(database, record["schema"]))
    for each in record["reads"]:
        yield Relation("reads", external_id(database, each["target_schema"], each["target"]))
    for each in record["ancestors"]:
        kind = "partition_of" if each["is_partition"] else "inherits"
        yield Relation(kind, external_id(database, each["target_schema"], each["target"]))
    for each in record["keys"]:
        if each["kind"] == "f":
            yield Relation("references", external_id(database, each["target_schema"], each["target"]))


def _said(**facts: Any) -> dict[str, Any]:
    """What is known of it."""
    return {name: value for name, value in facts.items() if value is not None}
