"""What people do at GitHub all day, and how their account came to be."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tests.fakes.github.state import Account, Issue, Repository


def settle(account: Account, drawn: random.Random, *, repositories: int, things: int) -> None:
    """An account with so many repositories, which hold about so many things in all."""
    for number in range(repositories):
        account.tick(60)
        repository = account.add(f"tool-{number:03}", description=f"tool {number}", private=number % 7 == 3)
        for name in ("bug", "docs", "help wanted"):
            account.label(repository, name)
        account.milestone(repository, "1.0")
        if number % 9 != 8:
            account.commit(repository, "the beginning", {"README.md": f"tool {number}", "docs/index.md": "index"})
    # one is far larger than the others: its issues are paged by cursors
    for number in range(things):
        place = 0 if number % 5 == 0 else drawn.randrange(repositories)
        account.tick()
        _make(account, list(account.repositories.values())[place], drawn)


def do_something(account: Account, drawn: random.Random) -> None:
    """One thing, by somebody."""
    account.tick(drawn.choice((0, 0, 1, 2, 30)))
    repository = drawn.choice(list(account.repositories.values()))
    doings: list[tuple[int, Callable[[Account, Repository, random.Random], None]]] = [
        (30, _make),
        (30, _edit),
        (12, _delete),
        (10, _labels),
        (8, _push),
        (3, _rewrite),
        (2, _repository),
    ]
    does = drawn.choices([what for _, what in doings], [often for often, _ in doings])[0]
    does(account, repository, drawn)


def _make(account: Account, repository: Repository, drawn: random.Random) -> None:
    match drawn.choices(("issue", "pull", "commit", "release", "milestone"), (55, 20, 20, 4, 1))[0]:
        case "issue":
            made = account.issue(repository, f"issue {drawn.randrange(10**6)}")
            _mark(repository, made, drawn)
        case "pull":
            _mark(repository, account.issue(repository, f"change {drawn.randrange(10**6)}", pull=True), drawn)
        case "commit":
            _push(account, repository, drawn)
        case "release":
            account.release(repository, f"v{len(repository.releases)}.{drawn.randrange(1000)}")
        case _:
            account.milestone(repository, f"milestone {drawn.randrange(10**6)}")


def _mark(repository: Repository, issue: Issue, drawn: random.Random) -> None:
    if repository.labels and drawn.random() < 0.5:
        issue.labels = [drawn.choice(list(repository.labels.values()))]
    if repository.milestones and drawn.random() < 0.2:
        issue.milestone = drawn.choice(list(repository.milestones.values()))


def _edit(account: Account, repository: Repository, drawn: random.Random) -> None:
    kind = drawn.choice(("issue", "issue", "issue", "release", "milestone", "repository"))
    if kind == "issue" and repository.issues:
        issue = _any(repository.issues, drawn)
        issue.title = f"edited {drawn.randrange(10**6)}"
        if drawn.random() < 0.4:
            issue.state = "closed"
            issue.merged = account.now if issue.pull_id is not None and drawn.random() < 0.5 else issue.merged
        account.touch(issue)
    elif kind == "release" and repository.releases:
        _any(repository.releases, drawn).name = f"edited {drawn.randrange(10**6)}"
    elif kind == "milestone" and repository.milestones:
        _any(repository.milestones, drawn).title = f"edited {drawn.randrange(10**6)}"
    else:
        repository.description, repository.updated = f"edited {drawn.randrange(10**6)}", account.now


def _delete(account: Account, repository: Repository, drawn: random.Random) -> None:
    issues = [issue for issue in repository.issues.values() if issue.pull_id is None]
    kind = drawn.choice(("issue", "issue", "transfer", "release", "milestone"))
    if kind in ("issue", "transfer") and issues:
        issue = drawn.choice(issues)
        del repository.issues[issue.number]
        if kind == "transfer":
            account.issue(drawn.choice(list(account.repositories.values())), issue.title)
    elif kind == "release" and repository.releases:
        del repository.releases[_any(repository.releases, drawn).id]
    elif kind == "milestone" and repository.milestones:
        account.delete_milestone(repository, _any(repository.milestones, drawn))


def _labels(account: Account, repository: Repository, drawn: random.Random) -> None:
    kind = drawn.choice(("make", "rename", "delete"))
    if kind == "make" or not repository.labels:
        account.label(repository, f"label {drawn.randrange(10**6)}")
    elif kind == "rename":
        _any(repository.labels, drawn).name = f"renamed {drawn.randrange(10**6)}"
    else:
        account.delete_label(repository, _any(repository.labels, drawn))


def _push(account: Account, repository: Repository, drawn: random.Random) -> None:
    """Mostly a commit; sometimes one that was made long ago is merged only now."""
    path = f"docs/page-{drawn.randrange(20)}.md"
    content = None if drawn.random() < 0.2 else f"content {drawn.randrange(10**6)}"
    if repository.head and drawn.random() < 0.2:
        old = drawn.choice(repository.history(repository.head))
        aside = account.commit(
            repository, "long ago", {path: content}, parents=(old.sha,), at=old.at - timedelta(days=30), push=False
        )
        account.commit(repository, "merged", {path: content}, parents=(repository.head, aside.sha))
    else:
        account.commit(repository, f"commit {drawn.randrange(10**6)}\n\nWhy.", {path: content})


def _rewrite(account: Account, repository: Repository, drawn: random.Random) -> None:
    """A forced push: some commits are gone; now and then nobody remembers them."""
    history = repository.history(repository.head)
    if len(history) < 2:
        return
    lost = repository.head
    base = drawn.choice(history[1:])
    account.commit(repository, "rewritten", {"docs/rewritten.md": str(drawn.random())}, parents=(base.sha,))
    if drawn.random() < 0.3:
        kept = {commit.sha for commit in repository.history(repository.head)}
        repository.commits = {sha: each for sha, each in repository.commits.items() if sha in kept or sha != lost}


def _repository(account: Account, repository: Repository, drawn: random.Random) -> None:
    match drawn.choice(("rename", "rename", "make", "delete", "branch")):
        case "rename":
            account.rename(repository, f"renamed-{drawn.randrange(10**6)}")
        case "make":
            made = account.add(f"new-{drawn.randrange(10**6)}")
            account.label(made, "bug")
            account.commit(made, "the beginning", {"README.md": "new"})
            account.issue(made, "the first")
        case "delete" if len(repository.issues) < 100:
            account.delete(repository)
        case _:
            repository.branch, repository.updated = f"trunk-{drawn.randrange(100)}", account.now


def _any(things: dict[int, Any], drawn: random.Random) -> Any:
    return things[drawn.choice(list(things))]
