"""The same thing gives the same item, whether a list or a webhook's delivery brought it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from windrow.connectors.github.config import Entity
from windrow.connectors.github.items import item, record
from windrow.contracts.item import Relation

REPOSITORY = {"id": 7, "full_name": "acme/tool"}
USER = {"login": "octo", "id": 1}
LABEL = {"id": 5, "name": "bug", "color": "f00", "description": None}
MILESTONE = {
    "id": 6,
    "number": 1,
    "title": "1.0",
    "html_url": "https://github.com/acme/tool/milestone/1",
    "state": "open",
    "open_issues": 4,
    "created_at": "2026-01-01T00:00:00Z",
}
ISSUE = {
    "id": 11,
    "number": 3,
    "title": "It breaks",
    "html_url": "https://github.com/acme/tool/issues/3",
    "state": "open",
    "body": "at length",
    "user": USER,
    "labels": [LABEL],
    "milestone": MILESTONE,
    "assignees": [{"login": "hubot", "id": 2}],
    "created_at": "2026-01-02T00:00:00Z",
    "updated_at": "2026-01-03T04:05:06Z",
    "closed_at": None,
}
PULL = {
    **ISSUE,
    "id": 12,
    "html_url": "https://github.com/acme/tool/pull/3",
    "head": {"ref": "topic", "sha": "a" * 40},
    "base": {"ref": "main", "sha": "b" * 40},
    "merged_at": "2026-01-03T04:05:06Z",
    "merge_commit_sha": "c" * 40,
    "draft": False,
}


def test_an_issue_says_where_it_is_and_what_it_belongs_to_and_not_what_it_holds() -> None:
    made = item(record(Entity.ISSUE, REPOSITORY, ISSUE))

    assert (made.external_id, made.display_name, made.canonical_path) == ("issue:11", "It breaks", "acme/tool/issues/3")
    assert (made.labels, made.owners) == (("bug",), ("hubot",))
    assert made.source_updated_at == datetime(2026, 1, 3, 4, 5, 6, tzinfo=UTC)
    assert set(made.relations) == {
        Relation("repository", "repository:7"),
        Relation("label", "label:5"),
        Relation("milestone", "milestone:6"),
    }
    assert made.attributes == {"number": 3, "state": "open", "author": "octo", "assignees": ["hubot"]}


def test_a_merged_pull_request_says_so_and_names_the_commit() -> None:
    made = item(record(Entity.PULL_REQUEST, REPOSITORY, PULL))

    assert made.external_id == "pull_request:12"
    assert made.attributes["state"] == "merged"
    assert Relation("merged_as", f"commit:7:{'c' * 40}") in made.relations


@pytest.mark.parametrize(
    ("kind", "payload", "of_a_delivery"),
    [
        (Entity.ISSUE, ISSUE, {"active_lock_reason": None, "reactions": {"total_count": 3}, "comments": 9}),
        (Entity.PULL_REQUEST, PULL, {"merged": True, "commits": 3, "additions": 100, "mergeable": None}),
        (Entity.MILESTONE, MILESTONE, {"open_issues": 9, "updated_at": "2026-05-05T00:00:00Z"}),
        (Entity.LABEL, LABEL, {"default": True, "url": "https://api.github.com/…"}),
    ],
)
def test_what_only_a_delivery_or_a_counter_tells_changes_no_item(
    kind: Entity, payload: dict[str, Any], of_a_delivery: dict[str, Any]
) -> None:
    # a delivery brings the repository with all that it has, a list knows its number and its name
    delivered = record(kind, REPOSITORY | {"private": False, "owner": USER}, payload | of_a_delivery)

    assert item(delivered) == item(record(kind, REPOSITORY, payload))


def test_a_thing_whose_author_is_gone_is_still_a_thing() -> None:
    assert "author" not in item(record(Entity.ISSUE, REPOSITORY, ISSUE | {"user": None})).attributes


def test_what_is_gone_is_named_as_it_was() -> None:
    gone = item(record(Entity.COMMIT, REPOSITORY, {"sha": "a" * 40}, gone=True))

    assert (gone.external_id, gone.deleted) == (f"commit:7:{'a' * 40}", True)


def test_a_file_is_named_by_its_repositorys_number() -> None:
    payload = {"path": "docs/a b.md", "sha": "d" * 40, "mode": "100644", "size": 3}
    made = item(record(Entity.FILE, REPOSITORY, payload, web="https://github.com"))

    assert (made.external_id, made.display_name) == ("file:7:docs/a b.md", "a b.md")
    assert made.url == "https://github.com/acme/tool/blob/HEAD/docs/a%20b.md"
