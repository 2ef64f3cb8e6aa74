"""The normalized item: what every source's things become.

A connector gives `Item`s: what the source says, and nothing else. The harvest adds whose it is and how it was learnt
(`Provenance`); the two together are the published contract, `NormalizedItem` (docs/reference/normalized-item.md).

Optional fields are left out of an item's JSON while they have their defaults, so a field that a later version adds
changes no hash of what was harvested before.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

CONTRACT = "normalized-item@1"

LARGEST_ITEM = 256 * 1024
LARGEST_ATTRIBUTES = 64 * 1024
DEEPEST_ATTRIBUTES = 16

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9_.:-]*$(?!\n)")]
ExternalId = Annotated[str, Meta(min_length=1, max_length=1024)]
Label = Annotated[str, Meta(min_length=1, max_length=256)]
Address = Annotated[str, Meta(min_length=1, max_length=4096)]
Moment = Annotated[datetime, Meta(tz=True)]


def says(words: str) -> Meta:
    """What a field means, for the published schema and its page."""
    return Meta(description=words)


class Relation(Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """That one item has to do with another of the same endpoint, which is named as the source names it."""

    type: Annotated[Name, says("What the other is to it: `parent`, `author`.")]
    target: Annotated[ExternalId, says("The other's `external_id`; it need not be known yet.")]


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the source says about one thing. `deleted` makes it a tombstone: the source says that it is gone."""

    entity_type: Annotated[Name, says("The kind of thing: `file`, `page`, `repository`.")]
    external_id: Annotated[ExternalId, says("How the source itself names the thing, whatever else changes about it.")]
    display_name: Annotated[str, Meta(min_length=1, max_length=1024), says("What a person calls it.")]
    canonical_path: Annotated[Address | None, says("Where it stands in the source's own order.")] = None
    url: Annotated[Address | None, says("Where a person can open it.")] = None
    owners: Annotated[
        tuple[Label, ...], Meta(max_length=200), says("Who answers for it, as the source names them.")
    ] = ()
    labels: Annotated[tuple[Label, ...], Meta(max_length=200), says("What it is marked with in the source.")] = ()
    source_version: Annotated[
        Annotated[str, Meta(max_length=256)] | None, says("The source's own version of it: a revision, an ETag.")
    ] = None
    source_created_at: Annotated[Moment | None, says("When the source says that it began to be.")] = None
    source_updated_at: Annotated[Moment | None, says("When the source says that it last changed.")] = None
    deleted: Annotated[bool, says("A tombstone: the source says that it is gone.")] = False
    attributes: Annotated[dict[str, Any], says("What else the source says: metadata, never content.")] = {}
    relations: Annotated[
        tuple[Relation, ...], Meta(max_length=2000), says("Which other items of the same endpoint it has to do with.")
    ] = ()


class Provenance(Struct, frozen=True, kw_only=True):
    """How an item was learnt: by what, when, under which spec, in which run; a higher observation was asked later."""

    source_system: Annotated[Name, says("The kind of system that it comes from: `git`, `github`.")]
    connector: Annotated[Name, says("What read it.")]
    connector_version: Annotated[str, says("Which version of that.")]
    fetched_at: Annotated[Moment, says("When it was read.")]
    spec_ref: Annotated[str, says("The spec that was followed, `spec_id@version`.")]
    run_id: Annotated[str, says("The run that read it.")]
    observation: Annotated[int, says("Drawn before the source was asked: a higher number was asked later.")]


class NormalizedItem(Item, frozen=True, kw_only=True):
    """An item as the catalog holds it: whose it is, what the source says, and how it was learnt."""

    item_id: Annotated[
        str, Meta(min_length=36, max_length=36), says("Follows from tenant, project, endpoint and `external_id`.")
    ]
    tenant_id: Annotated[str, says("Whose it is.")]
    project_id: Annotated[str, says("In which of the tenant's projects.")]
    endpoint_id: Annotated[str, says("The source that it was read from.")]
    source_system: Annotated[Name, says("The kind of system that it comes from: `git`, `github`.")]
    content_hash: Annotated[
        str,
        Meta(min_length=40, max_length=40),
        says("Covers what the source says, and nothing of when it was asked; equal for equal content."),
    ]
    provenance: Annotated[Provenance, says("How it was learnt.")]


def schema() -> dict[str, Any]:
    """The published contract as JSON Schema."""
    return msgspec.json.schema(NormalizedItem)


def item_schema() -> dict[str, Any]:
    """What a connector has to give, as JSON Schema: the part of the contract that is validated for every record."""
    return msgspec.json.schema(Item)
