"""What records become, however they look."""

from typing import Any

import pytest

from windrow.connectors.confluence.items import item
from windrow.connectors.confluence.records import content, space

SITE = "https://acme.atlassian.net/wiki"


def page(**said: Any) -> dict[str, Any]:
    return {"id": "7", "type": "page", "title": "Plan", "space": {"id": 3, "key": "OPS"}, "ancestors": [], **said}


def test_a_slash_in_a_title_is_no_step_of_the_path() -> None:
    above = {"id": "5", "type": "page", "title": "In/Out"}

    assert item(content(page(ancestors=[above]), SITE)).canonical_path == "OPS/In\\/Out/Plan"


@pytest.mark.parametrize(
    "said",
    [
        {"title": None},
        {"version": None, "history": None, "metadata": None, "restrictions": None, "extensions": None, "_links": None},
        {"version": {"when": "yesterday", "number": 3}, "history": {"createdDate": 7}},
        {"_links": {"webui": "javascript:alert(1)"}},
        {"_links": {"webui": 7}},
        {"ancestors": [{"id": str(number), "type": "page", "title": "x" * 250} for number in range(300)]},
    ],
)
def test_what_is_missing_or_broken_is_left_out(said: dict[str, Any]) -> None:
    made = item(content(page(**said), SITE))

    assert made.external_id == "page:7"
    assert made.url is None
    assert made.source_updated_at is None


@pytest.mark.parametrize("base", ["javascript:alert(1)//", None])
def test_a_link_is_below_the_site(base: str | None) -> None:
    made = item(space({"id": 1, "key": "OPS", "_links": {"base": base, "webui": "/spaces/OPS"}}, SITE))

    assert made.url == f"{SITE}/spaces/OPS"


def test_a_persons_own_labels_are_nobody_elses_business() -> None:
    labels = [{"prefix": "global", "name": "b"}, {"prefix": "my", "name": "mine"}, {"prefix": "team", "name": "a"}]

    assert item(content(page(metadata={"labels": {"results": labels}}), SITE)).labels == ("a", "b")


def test_a_page_below_a_folder_is_related_to_the_folder() -> None:
    made = item(content(page(ancestors=[{"id": "5", "type": "folder", "title": "F"}]), SITE))

    assert [(each.type, each.target) for each in made.relations] == [
        ("space", "space:3"),
        ("ancestor", "folder:5"),
        ("parent", "folder:5"),
    ]
