"""What later passes say: what has changed since, whatever happened to the history in between."""

import shutil
from contextlib import aclosing

import pytest
from tests.integration.connectors.git.reading import Reader, items_of, left
from tests.integration.connectors.git.workshop import Workshop

from windrow.contracts.errors import RetryableTransient, ValidationFailure
from windrow.contracts.item import Item, Relation


@pytest.fixture
def started(repository: Workshop) -> Workshop:
    """A repository with some files and commits."""
    for name in ("a", "b", "c"):
        repository.write(f"{name}.txt", f"{name}\n" * 20)
        repository.commit(name)
    return repository


def names(found: dict[str, Item]) -> set[str]:
    return {f"-{name}" if item.deleted else name for name, item in found.items()}


async def test_nothing_new_is_one_empty_page_and_the_same_cursor(reader: Reader, started: Workshop) -> None:
    await reader.items()

    (page,) = await reader.pages(reader.cursor)

    assert (list(page.records), page.last, page.opens, page.whole) == ([], True, False, False)
    assert page.cursor == reader.cursor


async def test_only_what_changed_is_told(reader: Reader, started: Workshop) -> None:
    await reader.items()
    started.write("a.txt", "changed\n")
    (started.place / "b.txt").unlink()
    started.write("d.txt", "new\n")
    tip = started.commit()

    later = await reader.later()

    assert names(later) == {"file:a.txt", "-file:b.txt", "file:d.txt", f"commit:{tip}", "branch:main"}


async def test_a_renamed_file_is_gone_and_came_from_there(reader: Reader, started: Workshop) -> None:
    await reader.items()
    started.git("mv", "a.txt", "z.txt")
    started.write("z.txt", "a\n" * 19 + "changed\n")
    tip = started.commit()

    later = await reader.later()

    assert later["file:a.txt"].deleted
    assert set(later["file:z.txt"].relations) == {
        Relation("last_commit", f"commit:{tip}"),
        Relation("renamed_from", "file:a.txt"),
    }


async def test_a_file_that_is_made_anew_was_not_renamed(reader: Reader, started: Workshop) -> None:
    started.git("mv", "a.txt", "z.txt")
    started.commit()
    (started.place / "z.txt").unlink()
    started.commit()
    await reader.items()
    started.write("z.txt", "something else\n")
    tip = started.commit()

    later = await reader.later()

    assert later["file:z.txt"].relations == (Relation("last_commit", f"commit:{tip}"),)
    assert later["file:z.txt"] == (await reader.items())["file:z.txt"]


async def test_branches_and_tags_that_move_or_go_are_told(reader: Reader, started: Workshop) -> None:
    for name in ("stays", "moves", "goes"):
        started.git("branch", name)
        started.git("tag", f"tag-{name}")
    await reader.items()
    for kind in ("branch", "tag"):
        prefix = "tag-" if kind == "tag" else ""
        started.git(kind, "-f", f"{prefix}moves", "HEAD~1")
        started.git(kind, "-D" if kind == "branch" else "-d", f"{prefix}goes")

    later = await reader.later()

    assert names(later) == {"branch:moves", "-branch:goes", "tag:tag-moves", "-tag:tag-goes"}


@pytest.mark.parametrize("forgetful", [False, True], ids=["with its cache", "with a cache that was lost"])
async def test_a_rewritten_history_is_compared_with_what_was_there(
    reader: Reader, started: Workshop, forgetful: bool
) -> None:
    first = await reader.items()
    gone = started.tip
    started.git("reset", "-q", "--hard", "HEAD~1")
    started.write("d.txt")
    started.commit("instead", author="Eve <eve@example.org>")
    if forgetful:
        shutil.rmtree(reader.cache)

    later = await reader.later()

    assert {f"-commit:{gone}", "-file:c.txt", "file:d.txt", "author:eve@example.org"} <= names(later)
    assert left(first, later) == left(await reader.items())
    assert reader.heard("git.relisted") == []


async def test_when_every_commit_is_another_so_are_the_relations(reader: Reader, started: Workshop) -> None:
    first = await reader.items()
    started.git("checkout", "-q", "--orphan", "again")
    for name in ("a", "b", "c"):
        started.git("add", f"{name}.txt")
        started.commit(f"again {name}")
    started.git("branch", "-q", "-M", "again", "main")

    later = await reader.later()

    assert "file:a.txt" in later
    assert left(first, later) == left(await reader.items())


async def test_what_was_harvested_last_being_gone_everything_is_listed_anew(reader: Reader, started: Workshop) -> None:
    await reader.items()
    started.git("reset", "-q", "--hard", "HEAD~1")
    started.git("reflog", "expire", "--expire=now", "--all")
    started.git("gc", "-q", "--prune=now")
    shutil.rmtree(reader.cache)

    pages = await reader.pages(reader.cursor)

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert "file:b.txt" in items_of(pages)
    assert "is gone" in reader.heard("git.relisted")[0]["reason"]
    assert reader.connector().progress(pages[-1].cursor) > reader.connector().progress(reader.cursor)  # type: ignore[operator]


async def test_our_lists_outlive_the_commit(reader: Reader, started: Workshop) -> None:
    first = await reader.items()
    started.git("reset", "-q", "--hard", "HEAD~1")
    started.git("reflog", "expire", "--expire=now", "--all")
    started.git("gc", "-q", "--prune=now")

    later = await reader.later()

    assert names(later) >= {"-file:c.txt"}
    assert left(first, later) == left(await reader.items())


async def test_a_branch_that_was_deleted_and_made_again_is_compared(reader: Reader, started: Workshop) -> None:
    started.git("branch", "work")
    await reader.items(branch="work")
    started.git("branch", "-D", "work")
    with pytest.raises(ValidationFailure):
        await reader.pages(reader.cursor, branch="work")
    started.git("branch", "work", "HEAD~1")

    later = await reader.later(branch="work")

    assert names(later) >= {"-file:c.txt", "branch:work"}


async def test_a_repository_that_was_empty_is_listed(reader: Reader, repository: Workshop) -> None:
    await reader.items()
    repository.write("a.txt")
    repository.commit()

    pages = await reader.pages(reader.cursor)

    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert "file:a.txt" in items_of(pages)


@pytest.mark.parametrize("change", [{"exclude": ["b.txt"]}, {"entities": ["file", "commit"]}, {"max_commits": 2}])
async def test_under_another_configuration_everything_is_listed_anew(
    reader: Reader, started: Workshop, change: dict[str, object]
) -> None:
    await reader.items()

    pages = await reader.pages(reader.cursor, **change)

    assert (pages[0].opens, pages[-1].whole) == (True, True)


async def test_commits_that_leave_the_window_are_gone(reader: Reader, started: Workshop) -> None:
    first = await reader.items(max_commits=2)
    started.commit()

    later = await reader.later(max_commits=2)

    assert left(first, later) == left(await reader.items(max_commits=2))


async def test_another_mailmap_gives_commits_other_authors(reader: Reader, started: Workshop) -> None:
    first = await reader.items()
    started.write(".mailmap", "Countess <countess@example.org> <ada@example.org>\n")
    started.commit()

    later = await reader.later()

    assert {"author:countess@example.org", "-author:ada@example.org"} <= names(later)
    assert left(first, later) == left(await reader.items())


async def test_from_every_cursor_the_rest_is_the_same(reader: Reader, started: Workshop) -> None:
    for number in range(130):
        started.write(f"many/{number:03}.txt", str(number))
    started.commit()
    first = await reader.pages()
    started.git("rm", "-q", "-r", "many")
    started.write("a.txt", "changed\n")
    started.commit()
    passes = [first, await reader.pages(first[-1].cursor)]

    for pages in passes:
        assert len(pages) == 3
        for place, page in enumerate(pages[:-1], 1):
            assert await reader.pages(page.cursor) == pages[place:]


async def test_a_pass_goes_on_with_what_it_began_with(reader: Reader, started: Workshop) -> None:
    """The repository moves on between two pages, and even forgets: the pass ends as it would have."""
    for number in range(120):
        started.write(f"many/{number:03}.txt", str(number))
    tip = started.commit()
    pages = await reader.pages()
    started.git("rm", "-q", "-r", "many")
    started.commit()

    rest = await reader.pages(pages[0].cursor)
    later = await reader.pages(rest[-1].cursor)

    assert rest == pages[1:]
    assert rest[-1].whole
    assert f"commit:{tip}" in items_of(rest)
    assert "file:many/000.txt" in [name for name, item in items_of(later).items() if item.deleted]


async def test_a_pass_whose_commit_is_gone_begins_anew(reader: Reader, started: Workshop) -> None:
    for number in range(120):
        started.write(f"many/{number:03}.txt", str(number))
    started.commit()
    pages = await reader.pages()
    started.git("reset", "-q", "--hard", "HEAD~1")
    started.git("reflog", "expire", "--expire=now", "--all")
    started.git("gc", "-q", "--prune=now")

    (page,) = await reader.pages(pages[0].cursor)

    assert (page.opens, page.whole) == (True, True)


async def test_a_commit_that_goes_away_in_the_middle_of_a_pass_is_no_damage(reader: Reader, started: Workshop) -> None:
    for number in range(60):
        started.commit(f"{number}")
    async with aclosing(reader.connector().fetch_pages(None, 50)) as pages:  # type: ignore[type-var]
        await anext(pages)
        started.git("reset", "-q", "--hard", "HEAD~30")
        started.git("reflog", "expire", "--expire=now", "--all")
        started.git("gc", "-q", "--prune=now")

        with pytest.raises(RetryableTransient):
            await anext(pages)


async def test_thousands_of_tags_do_not_make_a_large_cursor(reader: Reader, started: Workshop) -> None:
    tip = started.tip
    started.git(
        "update-ref", "--stdin", stdin=b"".join(b"create refs/tags/v%d %b\n" % (n, tip.encode()) for n in range(2000))
    )
    first = await reader.items(size=500)
    started.git("tag", "-d", "v17")
    started.git("tag", "-f", "v18", "HEAD~1")

    later = await reader.later()

    assert len(str(reader.cursor)) < 1000
    assert len(first) > 2000
    assert names(later) == {"-tag:v17", "tag:v18"}


async def test_thousands_of_tags_that_were_forgotten_are_listed_anew(reader: Reader, started: Workshop) -> None:
    tip = started.tip
    started.git(
        "update-ref", "--stdin", stdin=b"".join(b"create refs/tags/v%d %b\n" % (n, tip.encode()) for n in range(200))
    )
    await reader.items()
    shutil.rmtree(reader.cache)
    unchanged = await reader.later()
    started.git("tag", "-d", "v17")
    shutil.rmtree(reader.cache)

    pages = await reader.pages(reader.cursor)

    assert unchanged == {}
    assert (pages[0].opens, pages[-1].whole) == (True, True)
    assert "cache" in reader.heard("git.relisted")[0]["reason"]


@pytest.mark.parametrize("cursor", [{}, [], "main", {"pass": 1}, {"config": "x", "pass": -1, "now": {}}, 7])
async def test_a_cursor_that_somebody_made_up_is_refused(reader: Reader, cursor: object) -> None:
    with pytest.raises(ValidationFailure) as refused:
        await reader.pages(cursor)

    assert "reset" in (refused.value.hint or "")


async def test_cursors_only_move_forward(reader: Reader, started: Workshop) -> None:
    for number in range(130):
        started.write(f"many/{number:03}.txt", str(number))
    started.commit()
    pages = await reader.pages()
    started.git("rm", "-q", "-r", "many")
    started.commit()
    pages += await reader.pages(pages[-1].cursor)

    reached = [reader.connector().progress(cursor) for cursor in (None, *(page.cursor for page in pages))]

    assert reached == sorted(set(reached))  # type: ignore[type-var]
