"""What records are known by, so that one can tell whether they are still in their place."""

from collections.abc import Iterable
from typing import Any

from windrow.connectors.rest.cursor import Frame, short_hash
from windrow.connectors.rest.mapping import enveloped, scope_of
from windrow.connectors.rest.requests import Api
from windrow.connectors.rest.templates import template
from windrow.contracts.errors import ValidationFailure


def known_as(api: Api, frame: Frame, records: Iterable[Any], seen: str = "") -> str:
    """Records in their order, behind those that are known as `seen`: a chain, to which each adds its link."""
    for record in records:
        seen = short_hash([seen, _id_of(api, frame, record)])
    return seen


def _id_of(api: Api, frame: Frame, record: Any) -> Any:
    """The id that the stream gives the record; where it gives none, all that it says."""
    mapping = api.definition.streams[frame.stream].item
    if mapping is None:
        return short_hash(record)
    scope = scope_of(enveloped(frame.stream, record, frame.parent, frame.grandparent), api.values)
    try:
        found = template(mapping.external_id).value(scope)
    except ValidationFailure:
        found = None
    return short_hash(record) if found is None else found
