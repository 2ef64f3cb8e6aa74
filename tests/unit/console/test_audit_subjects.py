"""From a line of the trail to the page of its subject."""

from datetime import UTC, datetime

import pytest

from windrow.console.pages.audit.subjects import page_of
from windrow.postgres.audit import Entry


def line(subject: str, project: str | None = "main") -> Entry:
    nothing = dict.fromkeys(
        ("before_hash", "after_hash", "reason", "spec_ref", "request_id", "correlation_id", "details")
    )
    return Entry(
        id=1,
        at=datetime.now(UTC),
        tenant_id="acme",
        project_id=project,
        actor="anna",
        authority="test",
        action="x.y",
        subject=subject,
        **nothing,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("subject", "page"),
    [
        ("endpoints/github", "/endpoints/github"),
        ("endpoints/main/github", "/endpoints/github"),
        ("endpoint/github", "/endpoints/github"),
        ("lane/github/backfill:q/x", "/endpoints/github"),
        ("quarantine/github", "/quarantine?endpoint=github"),
        ("job/17", "/jobs/17"),
        ("media/17", "/media/17"),
        ("dead_letters/*", "/queues/dead-letters"),
        ("tenant/acme/project/main/notes/a b", "/kv/notes/a%20b"),
        ("tenant/acme/project/other/notes", None),
        ('endpoints/.."><script>', "/endpoints/..%22%3E%3Cscript%3E"),
        ("endpoints/", None),
        ("lane//live", None),
        ("people/anna", None),
        ("POST /endpoints/github/pause", None),
    ],
)
def test_a_subject_leads_to_the_page_that_shows_it(subject: str, page: str | None) -> None:
    assert page_of(line(subject), "main") == page


def test_a_thing_of_another_project_is_not_linked_to_the_one_of_the_same_name_here() -> None:
    assert page_of(line("endpoints/github", "other"), "main") is None
    assert page_of(line("endpoints/github", None), "main") == "/endpoints/github"
