"""What there is at GitHub: accounts, repositories and what is in them, on a clock of its own."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(eq=False)
class Label:
    id: int
    name: str
    color: str = "ededed"


@dataclass(eq=False)
class Milestone:
    id: int
    number: int
    title: str
    at: datetime
    state: str = "open"


@dataclass(eq=False)
class Issue:
    """An issue, or a pull request: they share their numbers. A pull request has an id of its own beside its issue's."""

    id: int
    number: int
    title: str
    created: datetime
    updated: datetime
    pull_id: int | None = None
    state: str = "open"
    merged: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    milestone: Milestone | None = None
    head: str = ""


@dataclass(eq=False)
class Release:
    id: int
    tag: str
    name: str
    at: datetime


@dataclass(frozen=True)
class Commit:
    sha: str
    message: str
    at: datetime
    parents: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


@dataclass(eq=False)
class Repository:
    id: int
    name: str
    created: datetime
    updated: datetime
    pushed: datetime
    private: bool = False
    archived: bool = False
    fork: bool = False
    has_issues: bool = True
    description: str = ""
    branch: str = "main"
    head: str = ""
    numbers: int = 0
    labels: dict[int, Label] = field(default_factory=dict)
    milestones: dict[int, Milestone] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    releases: dict[int, Release] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)

    def history(self, head: str) -> list[Commit]:
        """The commits behind one, the latest first."""
        found: dict[str, Commit] = {}
        left = [head] if head in self.commits else []
        while left:
            sha = left.pop()
            if sha not in found:
                found[sha] = self.commits[sha]
                left.extend(self.commits[sha].parents)
        order = {sha: place for place, sha in enumerate(self.commits)}
        return sorted(found.values(), key=lambda commit: (commit.at, order[commit.sha]), reverse=True)

    @property
    def files(self) -> dict[str, str]:
        return dict(self.commits[self.head].files) if self.head else {}


class Account:
    """An organisation or a user, and all its repositories. Things change through here, so that times are kept as GitHub does."""

    def __init__(self, login: str, kind: str, number: int) -> None:
        self.login, self.kind, self.id = login, kind, number
        self.repositories: dict[int, Repository] = {}
        # names that were given up, and whose they were
        self.former: dict[str, int] = {}
        self.now = datetime.now(UTC).replace(microsecond=0)
        self._ids = iter(range(1000, 10**9))

    def tick(self, seconds: float = 1) -> datetime:
        """Time passes."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def add(self, name: str, **more: object) -> Repository:
        made = Repository(next(self._ids), name, self.now, self.now, self.now, **more)  # type: ignore[arg-type]
        self.repositories[made.id] = made
        self.former.pop(name, None)
        return made

    def named(self, name: str) -> Repository | None:
        return next((each for each in self.repositories.values() if each.name == name), None)

    def rename(self, repository: Repository, name: str) -> None:
        self.former[repository.name] = repository.id
        self.former.pop(name, None)
        repository.name, repository.updated = name, self.now

    def delete(self, repository: Repository) -> None:
        del self.repositories[repository.id]
        self.former = {name: of for name, of in self.former.items() if of != repository.id}

    def label(self, repository: Repository, name: str) -> Label:
        made = Label(next(self._ids), name)
        repository.labels[made.id] = made
        return made

    def delete_label(self, repository: Repository, label: Label) -> None:
        """Its issues lose it, and do not count as updated."""
        del repository.labels[label.id]
        for issue in repository.issues.values():
            issue.labels = [each for each in issue.labels if each is not label]

    def milestone(self, repository: Repository, title: str) -> Milestone:
        number = max((each.number for each in repository.milestones.values()), default=0) + 1
        made = Milestone(next(self._ids), number, title, self.now)
        repository.milestones[made.id] = made
        return made

    def delete_milestone(self, repository: Repository, milestone: Milestone) -> None:
        del repository.milestones[milestone.id]
        for issue in repository.issues.values():
            if issue.milestone is milestone:
                issue.milestone, issue.updated = None, self.now

    def issue(self, repository: Repository, title: str, *, pull: bool = False) -> Issue:
        repository.numbers += 1
        made = Issue(next(self._ids), repository.numbers, title, self.now, self.now)
        if pull:
            made.pull_id, made.head = next(self._ids), hashlib.sha1(title.encode()).hexdigest()
        repository.issues[made.number] = made
        return made

    def touch(self, issue: Issue) -> None:
        issue.updated = self.now

    def release(self, repository: Repository, tag: str) -> Release:
        made = Release(next(self._ids), tag, f"Release {tag}", self.now)
        repository.releases[made.id] = made
        return made

    def commit(
        self,
        repository: Repository,
        message: str,
        files: dict[str, str | None] | None = None,
        *,
        parents: tuple[str, ...] | None = None,
        at: datetime | None = None,
        push: bool = True,
    ) -> Commit:
        """A commit on top of the head; with its parents named, anywhere. None as a file's content removes it."""
        behind = parents if parents is not None else tuple(filter(None, [repository.head]))
        tree = dict(repository.commits[behind[0]].files) if behind else {}
        for path, content in (files or {}).items():
            tree.pop(path, None)
            if content is not None:
                tree[path] = hashlib.sha1(content.encode()).hexdigest()
        said = f"{repository.id} {message} {behind} {sorted(tree.items())} {self.now} {len(repository.commits)}"
        made = Commit(
            hashlib.sha1(said.encode()).hexdigest(), message, at or self.now, behind, tuple(sorted(tree.items()))
        )
        repository.commits[made.sha] = made
        if push:
            self.push(repository, made.sha)
        return made

    def push(self, repository: Repository, head: str) -> None:
        repository.head, repository.pushed = head, self.now

    def objects(self) -> Iterator[tuple[Repository, object]]:
        """Everything that there is."""
        for repository in self.repositories.values():
            yield repository, repository
            for each in (repository.labels, repository.milestones, repository.releases, repository.issues):
                yield from ((repository, thing) for thing in each.values())
            yield from ((repository, commit) for commit in repository.history(repository.head))
