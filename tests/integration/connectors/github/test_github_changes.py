"""What has changed since the last pass is told: by a watermark, by ETags, by commits; and what is gone, once it is listed."""

from datetime import timedelta

import pytest
from tests.fakes.github import GitHub, Repository
from tests.integration.connectors.github.reading import Reader


@pytest.fixture
def tool(hub: GitHub) -> Repository:
    """A repository with a little of everything."""
    with hub.lock:
        made = hub.account.add("tool")
        for name in ("bug", "docs"):
            hub.account.label(made, name)
        hub.account.milestone(made, "1.0")
        hub.account.release(made, "v1")
        hub.account.commit(made, "the beginning", {"README.md": "read", "docs/a.md": "a", "src/b.py": "b"})
        for number in range(3):
            issue = hub.account.issue(made, f"issue {number}")
            issue.labels = [next(iter(made.labels.values()))]
        hub.account.issue(made, "change", pull=True)
        hub.account.tick(3600)  # none of it is within the overlap
    return made


async def test_each_kind_of_change_is_told_and_the_rest_is_not(hub: GitHub, reader: Reader, tool: Repository) -> None:
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        issue, pull = tool.issues[1], tool.issues[4]
        issue.title, pull.title = "edited", "edited too"
        hub.account.touch(issue)
        hub.account.touch(pull)
        next(iter(tool.releases.values())).name = "edited release"
        next(iter(tool.milestones.values())).title = "2.0"
        hub.account.commit(tool, "more", {"docs/a.md": "aa", "docs/c.md": "c", "README.md": None})

    pages = await reader.run()

    assert not any(page.opens or page.whole for page in pages)
    assert reader.wrong() == {}
    told = sorted((record["kind"], record.get("gone", False)) for page in pages for record in page.records)
    assert told == [
        ("commit", False),
        ("file", False),
        ("file", False),
        ("file", True),
        ("issue", False),
        ("milestone", False),
        ("pull_request", False),
        ("release", False),
        ("repository", False),
    ]


async def test_what_changes_in_the_very_second_of_a_harvest_is_told_by_the_next(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    hub.account.tick(3600)
    await reader.run()
    with hub.lock:  # not one second later
        tool.issues[2].title = "edited in the same second"
        hub.account.touch(tool.issues[2])
        tool.issues[4].title = "and a pull request"
        hub.account.touch(tool.issues[4])

    await reader.run()

    assert reader.wrong() == {}


async def test_what_one_replica_knows_later_is_told_within_the_overlap(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    hub.account.tick(3600)
    written = hub.account.now - timedelta(seconds=90)
    await reader.run()
    with hub.lock:  # written before the harvest, and not shown to it
        tool.issues[2].title = "shown late"
        tool.issues[2].updated = written

    await reader.run()

    assert reader.wrong() == {}


async def test_more_changed_issues_than_a_page_holds_are_asked_for_since_the_watermark(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    with hub.lock:
        for number in range(250):
            hub.account.tick()
            hub.account.issue(tool, f"old {number}")
        hub.account.tick(3600)
    await reader.run()
    assert not any("since=" in line for line in hub.asked()), "at first it is left out"
    with hub.lock:
        hub.account.tick(3600)
        for number in range(1, 121):
            tool.issues[number].title = f"edited {number}"
            hub.account.touch(tool.issues[number])
    hub.requests.clear()

    await reader.run()

    assert reader.wrong() == {}
    since = [line for line in hub.asked() if "since=" in line]
    assert len(since) == 2, "120 of 254 issues, in pages of 100"


async def test_pull_requests_are_read_down_to_the_watermark_and_no_further(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    with hub.lock:
        for number in range(350):
            hub.account.issue(tool, f"change {number}", pull=True)
        hub.account.tick(3600)
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        for pull in [each for each in tool.issues.values() if each.pull_id][:130]:
            pull.title = "edited"
            hub.account.touch(pull)
    hub.requests.clear()

    await reader.run()

    assert reader.wrong() == {}
    assert len([line for line in hub.asked() if "/pulls?" in line]) == 2, "130 are on two pages; 351 would be on four"


async def test_the_issues_of_a_renamed_label_show_its_new_name(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.account.tick(3600)
    await reader.run()
    with hub.lock:  # no issue counts as updated by this
        hub.account.tick(3600)
        next(iter(tool.labels.values())).name = "defect"

    await reader.run()

    assert reader.wrong() == {}


async def test_a_new_label_is_no_reason_to_read_the_issues_again(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.account.tick(3600)
    await reader.run()
    with hub.lock:
        hub.account.label(tool, "new")

    pages = await reader.run()

    assert {record["kind"] for page in pages for record in page.records} == {"label"}


async def test_a_commit_that_was_made_long_before_it_was_pushed_is_found(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        head = tool.head
        old = hub.account.commit(
            tool, "long ago", parents=(head,), at=hub.account.now - timedelta(days=900), push=False
        )
        hub.account.commit(tool, "merged", parents=(head, old.sha))

    await reader.run()

    assert reader.wrong() == {}


async def test_commits_that_a_forced_push_has_thrown_away_are_gone(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    base = tool.head
    for number in range(120):
        hub.account.commit(tool, f"draft {number}")
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        hub.account.commit(tool, "the final version", {"docs/final.md": "final"}, parents=(base,))

    pages = await reader.run()

    assert reader.wrong() == {}
    assert not any(page.opens for page in pages), "by tombstones, without a new listing"


@pytest.mark.parametrize("entities", [["commit"], ["file"]])
async def test_where_nobody_knows_the_old_commit_any_more_everything_is_listed_at_the_next_pass(
    hub: GitHub, reader: Reader, tool: Repository, entities: list[str]
) -> None:
    base, reader.config = tool.head, {"entities": entities}
    hub.account.commit(tool, "draft", {"docs/draft.md": "draft"})
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        lost = tool.head
        hub.account.commit(tool, "the final version", parents=(base,))
        del tool.commits[lost]

    await reader.run()
    pages = await reader.run()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    true = {name for name, each in hub.truth().items() if each["entity_type"] in ("repository", *entities)}
    assert set(reader.there) == true


async def test_a_history_that_is_rewritten_while_it_is_read_hides_no_commit(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    for number in range(120):
        hub.account.commit(tool, f"commit {number}")
    base = tool.head
    for number in range(30):
        hub.account.commit(tool, f"draft {number}")
    while "/commits?" not in (reader.cursor or {}).get("place", {}).get("link", ""):
        await reader.page()
    with hub.lock:  # thirty commits less: what was on the second page is on the first now
        hub.account.commit(tool, "the final version", parents=(base,))

    await reader.run()
    await reader.run()

    assert reader.wrong() == {}


async def test_a_renamed_repository_keeps_its_identity_and_all_its_things_their_new_place(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.run()
    before = set(reader.there)
    with hub.lock:
        hub.account.tick(3600)
        hub.account.rename(tool, "implement")

    await reader.run()

    assert reader.wrong() == {}
    assert set(reader.there) == before


@pytest.mark.parametrize("status", [301, 307])
async def test_a_repository_that_is_renamed_while_it_is_read_is_followed_and_that_is_told(
    hub: GitHub, reader: Reader, tool: Repository, status: int
) -> None:
    first = await reader.page()
    assert [record["kind"] for record in first.records] == ["repository"]
    hub.moved = status
    with hub.lock:
        hub.account.rename(tool, "implement")

    await reader.run()
    moved = reader.heard("connector.moved")
    await reader.run()

    assert [each["position"] for each in moved] == ["/repos/acme/tool"], "told once, not for each of its lists"
    assert reader.heard("connector.skipped") == []
    assert reader.wrong() == {}


async def test_another_default_branch_is_read_from_its_own_head(hub: GitHub, reader: Reader, tool: Repository) -> None:
    await reader.run()
    with hub.lock:
        hub.account.tick(3600)
        hub.account.commit(tool, "elsewhere", {"docs/else.md": "else"})
        tool.branch = "trunk"

    await reader.run()

    assert reader.wrong() == {}


async def test_a_repository_that_is_gone_is_told_at_once_and_its_things_by_the_listing_after(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    hub.account.issue(hub.account.add("other"), "the first")
    await reader.run()
    with hub.lock:
        hub.account.delete(tool)

    await reader.run()
    assert f"repository:{tool.id}" not in reader.there
    pages = await reader.run()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert reader.wrong() == {}


async def test_what_is_deleted_is_found_by_the_listing_of_the_next_day(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    await reader.run()
    with hub.lock:
        del tool.issues[2]
        hub.account.delete_label(tool, next(iter(tool.labels.values())))
        tool.releases.clear()
    (*_, last) = await reader.run()
    assert not last.whole, "within the day only what has changed is read"
    reader.ahead = timedelta(hours=25)

    pages = await reader.run()

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert reader.wrong() == {}


async def test_with_no_hours_between_them_every_pass_is_a_listing(
    hub: GitHub, reader: Reader, tool: Repository
) -> None:
    reader.config = {"relist_hours": 0}
    await reader.run()
    with hub.lock:
        del tool.issues[2]

    await reader.run()

    assert reader.wrong() == {}


async def test_another_configuration_begins_a_new_listing(hub: GitHub, reader: Reader, tool: Repository) -> None:
    await reader.run()
    reader.config = {"entities": ["repository", "label"], "repositories": ["t*"]}

    pages = await reader.run()

    assert pages[0].opens
    assert {one.entity_type for one in reader.there.values()} == {"repository", "label"}


async def test_only_what_is_asked_for_is_harvested(hub: GitHub, reader: Reader, tool: Repository) -> None:
    hub.account.add("old", archived=True)
    hub.account.add("copy", fork=True)
    hub.account.add("left-out")
    hub.account.add("else")
    long_ago = hub.account.now - timedelta(days=500)
    hub.account.commit(tool, "long ago", {"CHANGES.txt": "text"}, at=long_ago)
    hub.account.commit(tool, "lately", {"docs/z.md": "z"})
    day = (hub.account.now - timedelta(days=1)).date().isoformat()
    reader.config = {
        "archived": False,
        "forks": False,
        "repositories": ["T*", "left-*", "old", "copy"],
        "exclude": ["left-?ut"],
        "entities": ["commit", "file"],
        "files": ["*.txt"],
        "commits_since": day,
    }

    await reader.run()

    assert sorted(one.display_name for one in reader.there.values()) == [
        "CHANGES.txt",
        "acme/tool",
        "lately",
        "the beginning",
    ]


async def test_without_commits_files_are_still_known_by_them(hub: GitHub, reader: Reader, tool: Repository) -> None:
    reader.config = {"entities": ["file"]}
    await reader.run()
    hub.account.commit(tool, "more", {"docs/new.md": "new", "docs/a.md": None})

    await reader.run()

    names = {one.display_name for one in reader.there.values() if one.entity_type == "file"}
    assert names == {"README.md", "new.md"}
    assert "commit" not in {one.entity_type for one in reader.there.values()}
