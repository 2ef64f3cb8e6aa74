"""How GitHub writes things: the parts of its payloads that tell something, in its own names and formats."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tests.fakes.github.state import Account, Commit, Issue, Label, Milestone, Release, Repository

WEB = "https://github.com"


def moment(at: datetime | None) -> str | None:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def user(login: str, number: int = 1, kind: str = "User") -> dict[str, Any]:
    return {"login": login, "id": number, "type": kind, "site_admin": False, "html_url": f"{WEB}/{login}"}


def repository(account: Account, it: Repository) -> dict[str, Any]:
    full_name = f"{account.login}/{it.name}"
    return {
        "id": it.id,
        "node_id": f"R_{it.id}",
        "name": it.name,
        "full_name": full_name,
        "private": it.private,
        "owner": user(account.login, account.id, account.kind),
        "html_url": f"{WEB}/{full_name}",
        "description": it.description or None,
        "fork": it.fork,
        "homepage": None,
        "language": "Python",
        "topics": ["tools"],
        "archived": it.archived,
        "visibility": "private" if it.private else "public",
        "default_branch": it.branch,
        "has_issues": it.has_issues,
        "open_issues_count": len(it.issues),
        "stargazers_count": 7,
        "license": {"key": "mit", "spdx_id": "MIT"},
        "created_at": moment(it.created),
        "updated_at": moment(it.updated),
        "pushed_at": moment(it.pushed),
    }


def label(it: Label) -> dict[str, Any]:
    return {
        "id": it.id,
        "node_id": f"LA_{it.id}",
        "name": it.name,
        "color": it.color,
        "default": False,
        "description": None,
    }


def milestone(account: Account, of: Repository, it: Milestone) -> dict[str, Any]:
    return {
        "id": it.id,
        "number": it.number,
        "title": it.title,
        "html_url": f"{WEB}/{account.login}/{of.name}/milestone/{it.number}",
        "description": None,
        "creator": user("octo"),
        "state": it.state,
        "open_issues": len(of.issues),
        "closed_issues": 0,
        "created_at": moment(it.at),
        "updated_at": moment(it.at),
        "closed_at": None,
        "due_on": None,
    }


def issue(account: Account, of: Repository, it: Issue) -> dict[str, Any]:
    """As the list of issues has it, in which pull requests are issues."""
    part = "issues" if it.pull_id is None else "pull"
    url = f"{WEB}/{account.login}/{of.name}/{part}/{it.number}"
    said = _discussed(account, of, it) | {"id": it.id, "html_url": url, "comments": 0, "state_reason": None}
    if it.pull_id is not None:
        said["pull_request"] = {"html_url": url, "merged_at": moment(it.merged)}
    return said


def pull(account: Account, of: Repository, it: Issue) -> dict[str, Any]:
    url = f"{WEB}/{account.login}/{of.name}/pull/{it.number}"
    return _discussed(account, of, it) | {
        "id": it.pull_id,
        "html_url": url,
        "draft": False,
        "merged_at": moment(it.merged),
        "merge_commit_sha": it.head if it.merged else None,
        "head": {"ref": f"topic-{it.number}", "sha": it.head, "label": f"octo:topic-{it.number}"},
        "base": {"ref": of.branch, "sha": of.head, "repo": {"id": of.id}},
    }


def _discussed(account: Account, of: Repository, it: Issue) -> dict[str, Any]:
    return {
        "number": it.number,
        "title": it.title,
        "body": "What it is about, at some length. " * 3,
        "user": user("octo"),
        "state": it.state,
        "locked": False,
        "labels": [label(each) for each in it.labels],
        "assignees": [user("hubot", 2)] if it.number % 5 == 0 else [],
        "milestone": milestone(account, of, it.milestone) if it.milestone else None,
        "created_at": moment(it.created),
        "updated_at": moment(it.updated),
        "closed_at": None if it.state == "open" else moment(it.updated),
    }


def release(account: Account, of: Repository, it: Release) -> dict[str, Any]:
    return {
        "id": it.id,
        "tag_name": it.tag,
        "target_commitish": of.branch,
        "name": it.name,
        "body": "Notes.",
        "draft": False,
        "prerelease": False,
        "html_url": f"{WEB}/{account.login}/{of.name}/releases/tag/{it.tag}",
        "author": user("octo"),
        "assets": [{"id": it.id + 1, "name": "tool.tar.gz", "size": 1024, "content_type": "application/gzip"}],
        "created_at": moment(it.at),
        "published_at": moment(it.at),
    }


def commit(account: Account, of: Repository, it: Commit) -> dict[str, Any]:
    who = {"name": "Octo Cat", "email": "octo@example.org", "date": moment(it.at)}
    return {
        "sha": it.sha,
        "commit": {"author": who, "committer": who, "message": it.message, "tree": {"sha": it.sha}, "comment_count": 0},
        "html_url": f"{WEB}/{account.login}/{of.name}/commit/{it.sha}",
        "author": user("octo"),
        "committer": user("octo"),
        "parents": [{"sha": sha} for sha in it.parents],
    }


def tree(it: Commit, most: int) -> dict[str, Any]:
    entries = [
        {"path": path, "mode": "100644", "type": "blob", "sha": sha, "size": len(path)} for path, sha in it.files
    ]
    folders = sorted({folder for path, _ in it.files for folder in _folders(path)})
    entries += [{"path": path, "mode": "040000", "type": "tree", "sha": "0" * 40} for path in folders]
    return {
        "sha": it.sha,
        "tree": sorted(entries, key=lambda each: each["path"])[:most],
        "truncated": len(entries) > most,
    }


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for upto in range(1, len(parts) + 1):
        yield "/".join(parts[:upto])
