"""What the pages of the catalog need: a repository with its files and people, changes, something that is gone, a file kept."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from windrow.contracts.identity import TOMBSTONE_HASH, Identity, content_hash
from windrow.contracts.scope import Scope

ACME = Scope("acme", "main")
NAMES = ("store", "relay", "cursor", "lease", "outbox", "harvest", "schema", "replay")


def id_of(external_id: str, endpoint: str = "github") -> UUID:
    return UUID(Identity(ACME, endpoint).item_id(external_id))


ROOT = id_of("repo:windrow")
GONE = id_of("file:src/old_store.py")


def item(connection: psycopg.Connection[Any], external_id: str, at: datetime, **said: Any) -> UUID:
    """One item, as a run would have written it."""
    endpoint = said.pop("endpoint_id", "github")
    run = f"{endpoint}-1"
    row: dict[str, Any] = {
        "item_id": id_of(external_id, endpoint),
        "project_id": "main",
        "endpoint_id": endpoint,
        "source_system": "github",
        "entity_type": "file",
        "external_id": external_id,
        "display_name": external_id.rpartition("/")[2],
        "owners": [],
        "labels": [],
        "source_updated_at": at - timedelta(hours=3),
        "deleted": False,
        "attributes": "{}",
        "observation": 1,
        "run_id": run,
        "fetched_at": at,
        "connector": "github",
        "connector_version": "1.4.0",
        "spec_ref": "directive.github@1",
        "first_run_id": run,
        "first_seen_at": at,
        "changed_at": at,
    } | said
    row["content_hash"] = content_hash(repr(sorted(row.items(), key=str)).encode())
    places = ", ".join(f"%({name})s" for name in row)
    connection.execute(f"INSERT INTO items (tenant_id, {', '.join(row)}) VALUES (current_tenant(), {places})", row)
    found: UUID = row["item_id"]
    return found


def change(connection: psycopg.Connection[Any], item_id: UUID, at: datetime, run: str, **said: Any) -> None:
    """News about an item."""
    hashed = TOMBSTONE_HASH if said.get("deleted") else content_hash(f"{item_id}{at}{said}".encode())
    said |= {"changed_at": at, "run_id": run, "content_hash": hashed}
    fields = ", ".join(f"{name} = %({name})s" for name in said)
    connection.execute(
        f"UPDATE items SET revision = revision + 1, {fields} WHERE item_id = %(item_id)s", said | {"item_id": item_id}
    )


def relate(connection: psycopg.Connection[Any], source: UUID, kind: str, target: str) -> None:
    connection.execute(
        "INSERT INTO item_relations VALUES (current_tenant(), %s, %s, %s, %s)", (source, kind, id_of(target), target)
    )


def index(connection: psycopg.Connection[Any]) -> None:
    """The words of all that was written so far, at once."""
    connection.execute(
        """INSERT INTO search_words (tenant_id, item_id, revision, words)
           SELECT tenant_id, item_id, revision, item_words(tenant_id, project_id, item_id, endpoint_id, deleted, entity_type,
                  external_id, display_name, canonical_path, owners, labels) FROM items
           ON CONFLICT (tenant_id, item_id) DO UPDATE SET revision = excluded.revision, words = excluded.words"""
    )
    connection.execute("DELETE FROM search_backlog")


def plough_catalog(connection: psycopg.Connection[Any], now: datetime) -> None:
    """All of it."""
    root = item(
        connection,
        "repo:windrow",
        now - timedelta(days=20),
        entity_type="repository",
        display_name="windrow",
        canonical_path="acme/windrow",
        url="https://github.example/acme/windrow",
        owners=["anna", "otto"],
        labels=["python", "harvest"],
        source_version="v41",
        attributes=json.dumps(_ATTRIBUTES),
    )
    for number, name in enumerate(NAMES * 3):
        path = f"src/{NAMES[number % 5]}/{name}_{number}.py"
        made = item(
            connection,
            f"file:{path}",
            now - timedelta(hours=number),
            canonical_path=path,
            labels=["python"],
            owners=["anna"],
        )
        relate(connection, made, "parent", "repo:windrow")
    for number in range(6):
        page = f"page-{number}"
        item(
            connection,
            page,
            now - timedelta(days=number, hours=5),
            endpoint_id="wiki",
            entity_type="page",
            display_name=f"How the {NAMES[number]} works",
            canonical_path=f"Handbook/{NAMES[number].title()}",
        )
    for person in ("anna", "otto"):
        item(connection, f"user:{person}", now - timedelta(days=20), entity_type="person", display_name=person.title())
        relate(connection, root, "maintainer", f"user:{person}")
    relate(connection, root, "fork_of", "repo:windrow-origin")
    for step in range(12):
        attributes = _ATTRIBUTES | {"stars": 120 + step, "open_issues": 14 - step}
        change(
            connection, root, now - timedelta(days=12 - step), f"github-{12 - step}", attributes=json.dumps(attributes)
        )
    gone = item(connection, "file:src/old_store.py", now - timedelta(days=9), canonical_path="src/old_store.py")
    change(connection, gone, now - timedelta(hours=30), "github-3", deleted=True)
    connection.execute(
        """INSERT INTO blobs (tenant_id, blob_id, project_id, item_id, state, media_type, name, size, sha256, key, requested_by,
                              expires_at, uploaded_at, linked_at)
           VALUES (current_tenant(), gen_random_uuid(), 'main', %s, 'linked', 'application/pdf', 'architecture.pdf', 734003,
                   repeat('a', 64), 'blobs/x', 'anna', now(), now(), now())""",
        (root,),
    )
    index(connection)


_ATTRIBUTES = {
    "description": "Harvests what teams keep in many places into one catalog. " * 5,
    "homepage": "https://windrow.example/",
    "stars": 119,
    "open_issues": 14,
    "archived": False,
    "topics": ["catalog", "metadata", "temporal"],
    "license": {"key": "apache-2.0", "name": "Apache License 2.0", "url": None},
    "default_branch": {"name": "main", "protected": True, "checks": ["lint", "types", "tests"]},
}
