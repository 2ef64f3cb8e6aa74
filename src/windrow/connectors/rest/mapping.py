"""From a record, with what it belongs to, to an item."""

from collections.abc import Mapping as Values
from datetime import datetime
from typing import Any

from windrow.connectors.rest.definition import Definition, Mapping
from windrow.connectors.rest.functions import moment, refused, text
from windrow.connectors.rest.scope import Scope
from windrow.connectors.rest.templates import template
from windrow.contracts.item import Item, Relation

Record = dict[str, Any]


def enveloped(stream: str, record: Any, parent: Any, grandparent: Any) -> Record:
    """A record with all that is needed to make an item of it, now or from quarantine."""
    whole = {"stream": stream, "record": record, "parent": parent, "grandparent": grandparent}
    return {name: value for name, value in whole.items() if value is not None}


def scope_of(record: Record, values: Values[str, str]) -> Scope:
    """What an expression about the record may name."""
    return Scope({"values": values, **{name: record.get(name) for name in ("record", "parent", "grandparent")}})


def item(definition: Definition, record: Record, values: Values[str, str]) -> Item:
    """The item that the record's stream makes of it."""
    mapping = definition.streams[record["stream"]].item
    if mapping is None:
        raise refused(f"nothing is to come of a record of {record['stream']}")
    scope = scope_of(record, values)
    external_id = _text(mapping.external_id, scope)
    deleted = is_deleted(mapping, scope)
    if not external_id:
        raise refused(f"external_id: {mapping.external_id} comes to nothing")
    return Item(
        entity_type=_text(mapping.entity_type, scope) or "",
        external_id=external_id,
        # a source that says that something is gone often says no more than that
        display_name=_text(mapping.display_name, scope) or (external_id if deleted else ""),
        canonical_path=_text(mapping.path, scope) or None,
        url=_text(mapping.url, scope) or None,
        owners=_texts(mapping.owners, scope),
        labels=_texts(mapping.labels, scope),
        source_version=_text(mapping.version, scope) or None,
        source_created_at=_moment(mapping.created_at, scope),
        source_updated_at=_moment(mapping.updated_at, scope),
        deleted=deleted,
        attributes=_attributes(mapping, scope),
        relations=_relations(mapping, scope),
    )


def is_true(written: str, scope: Scope) -> bool:
    """Whether an expression says so; a null says no, and anything but true and false is refused."""
    value = template(written).value(scope)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise refused(f"{written} is neither true nor false; compare it: | equals(…)")


def is_deleted(mapping: Mapping, scope: Scope) -> bool:
    """Whether the source says that it is gone."""
    return mapping.deleted is not None and is_true(mapping.deleted, scope)


def _text(written: str | None, scope: Scope) -> str | None:
    value = None if written is None else template(written).value(scope)
    return None if value is None else text(value)


def _moment(written: str | None, scope: Scope) -> datetime | None:
    value = None if written is None else template(written).value(scope)
    return None if value in (None, "") else moment(value)


def _texts(written: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
    found = (one for each in written for one in _several(template(each).value(scope)))
    return tuple(dict.fromkeys(made for one in found if (made := text(one))))


def _several(value: Any) -> list[Any]:
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]


def _attributes(mapping: Mapping, scope: Scope) -> dict[str, Any]:
    values = {name: template(written).value(scope) for name, written in mapping.attributes.items()}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return text(value) if isinstance(value, datetime) else value


def _relations(mapping: Mapping, scope: Scope) -> tuple[Relation, ...]:
    found = {
        Relation(kind, text(target))
        for kind, written in mapping.relations.items()
        for target in _several(template(written).value(scope))
    }
    return tuple(sorted(found))
