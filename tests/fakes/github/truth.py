"""What a catalog of the account has to hold, written from the state itself."""

from typing import Any

from tests.fakes.github.state import Account, Issue, Repository
from tests.fakes.github.wire import WEB

_DOCS = ("README", "docs/")


def written(account: Account) -> dict[str, dict[str, Any]]:
    """By external id."""
    held: dict[str, dict[str, Any]] = {}
    for it in account.repositories.values():
        held |= _repository(account, it)
    return held


def _repository(account: Account, it: Repository) -> dict[str, dict[str, Any]]:
    name = f"{account.login}/{it.name}"
    held = {
        f"repository:{it.id}": {
            "entity_type": "repository",
            "display_name": name,
            "url": f"{WEB}/{name}",
            "labels": ["tools"],
            "source_updated_at": it.updated,
        }
    }
    for label in it.labels.values():
        held[f"label:{label.id}"] = {"entity_type": "label", "display_name": label.name}
    for milestone in it.milestones.values():
        held[f"milestone:{milestone.id}"] = {"entity_type": "milestone", "display_name": milestone.title}
    for release in it.releases.values():
        held[f"release:{release.id}"] = {"entity_type": "release", "display_name": release.name}
    for issue in it.issues.values():
        held |= _discussed(name, issue)
    for commit in it.history(it.head):
        held[f"commit:{it.id}:{commit.sha}"] = {
            "entity_type": "commit",
            "display_name": commit.message.split("\n")[0],
            "source_version": commit.sha,
            "canonical_path": f"{name}/commit/{commit.sha}",
        }
    for path, sha in it.files.items():
        if path.startswith(_DOCS):
            held[f"file:{it.id}:{path}"] = {
                "entity_type": "file",
                "canonical_path": f"{name}/{path}",
                "source_version": sha,
            }
    return held


def _discussed(name: str, issue: Issue) -> dict[str, dict[str, Any]]:
    is_pull = issue.pull_id is not None
    part = "pull" if is_pull else "issues"
    return {
        f"pull_request:{issue.pull_id}" if is_pull else f"issue:{issue.id}": {
            "entity_type": "pull_request" if is_pull else "issue",
            "display_name": issue.title,
            "canonical_path": f"{name}/{part}/{issue.number}",
            "url": f"{WEB}/{name}/{part}/{issue.number}",
            "labels": sorted({label.name for label in issue.labels}),
            "source_updated_at": issue.updated,
        }
    }
