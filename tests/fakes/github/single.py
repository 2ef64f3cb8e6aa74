"""One thing of a repository by its own address, as GitHub answers it."""

from typing import Any
from urllib.parse import unquote

from tests.fakes.github import wire
from tests.fakes.github.state import Account, Repository


def single(account: Account, of: Repository, rest: str) -> dict[str, Any] | None:
    """The thing at an address below the repository; None if there is none."""
    part, _, name = rest.partition("/")
    number = int(name) if name.isdigit() else -1
    issue = next((each for each in of.issues.values() if each.number == number), None)
    match part:
        case "issues" if issue:
            return wire.issue(account, of, issue)
        case "pulls" if issue and issue.pull_id is not None:
            return wire.pull(account, of, issue)
        case "labels":
            found = next((each for each in of.labels.values() if each.name == unquote(name)), None)
            return wire.label(found) if found else None
        case "milestones":
            due = next((each for each in of.milestones.values() if each.number == number), None)
            return wire.milestone(account, of, due) if due else None
        case "releases" if number in of.releases:
            return wire.release(account, of, of.releases[number])
        case "commits" if name in of.commits:
            return wire.commit(account, of, of.commits[name]) | {"stats": {"total": 1}, "files": []}
    return None
