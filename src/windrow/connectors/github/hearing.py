"""What GitHub tells by webhook, and the things it names as they are now.

A delivery is believed when it is signed with the secret, and even then only as to what is worth looking at. A thing is taken for gone
when the delivery says so and the API agrees, for the repository is there and the thing is not.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import msgspec

from windrow.connectors.github.account import Account
from windrow.connectors.github.api import Answer, Api
from windrow.connectors.github.config import Entity, GithubConfig
from windrow.connectors.github.items import Record, record
from windrow.connectors.github.repositories import is_wanted
from windrow.connectors.tidings import Delivery, Heard
from windrow.contracts.errors import Code, ValidationFailure
from windrow.vault import Secret

Said = Mapping[str, Any]
Reference = dict[str, Any]

# a push of more is better read by the next harvest, which asks for whole pages
_MOST_COMMITS = 100
_GONE = frozenset({"deleted", "transferred", "unpublished"})


def heard(config: GithubConfig, delivery: Delivery, secret: Secret) -> Heard | None:
    """What a delivery names; None if it is not signed with the secret."""
    given = delivery.headers.get("x-hub-signature-256", "")
    due = "sha256=" + hmac.new(secret.reveal().encode(), delivery.body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given.encode(), due.encode()):
        return None
    event = delivery.headers.get("x-github-event", "")
    said = _body(delivery.body)
    wanted = [each for each in _named(event, said) if Entity(each["kind"]) in config.entities]
    return Heard(delivery.headers.get("x-github-delivery", ""), tuple(wanted))


async def look_up(api: Api, config: GithubConfig, account: Account, references: Sequence[Reference]) -> list[Record]:
    """Each thing as it is now, in its repository as that is now. Repositories that are not harvested are passed over."""
    records: list[Record] = []
    repositories: dict[str, Any] = {}
    for each in references:
        name = each["repository"]["full_name"]
        if name not in repositories:
            repositories[name] = await api.get(api.path(f"/repos/{quote(name)}"), what="repository")
        there = repositories[name]
        found = await _looked_up(api, config, account, each, there)
        records += [found] if found else []
    return records


async def _looked_up(
    api: Api, config: GithubConfig, account: Account, reference: Reference, there: Answer
) -> Record | None:
    kind, repository = Entity(reference["kind"]), reference["repository"]
    if not there.found or there.body.get("id") != repository["id"]:
        # it may be hidden from us, or another may have its name: only a word of GitHub's makes it gone
        is_gone = kind is Entity.REPOSITORY and reference.get("gone") and there.status == 404
        return record(kind, repository, {"id": repository["id"]}, gone=True) if is_gone else None
    if not is_wanted(config, account.id, there.body):
        return None
    if kind is Entity.REPOSITORY:
        return record(kind, there.body, there.body)
    answer = await api.get(api.path(f"/repos/{quote(there.body['full_name'])}{reference['path']}"), what=str(kind))
    if answer.found and _is_it(kind, reference, answer.body):
        return record(kind, there.body, answer.body) if _is_recent(config, kind, answer.body) else None
    if reference.get("gone") and (answer.found or answer.status in (404, 410)):
        return record(kind, there.body, {"id": reference["id"]}, gone=True)
    return None


def _is_it(kind: Entity, reference: Reference, payload: Said) -> bool:
    """Whether what is there is what was named: under the same name or number there may be another thing by now."""
    if kind is Entity.ISSUE and payload.get("pull_request"):
        return False
    return bool(payload.get("sha" if kind is Entity.COMMIT else "id") == reference["id"])


def _is_recent(config: GithubConfig, kind: Entity, payload: Said) -> bool:
    if kind is not Entity.COMMIT or config.commits_since is None:
        return True
    made = datetime.fromisoformat(payload["commit"]["committer"]["date"])
    return made.astimezone(UTC).date() >= config.commits_since


def _body(body: bytes) -> Said:
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise ValidationFailure(
            "the delivery is no JSON object", code=Code.INVALID, hint="choose the content type application/json"
        )
    return said


def _named(event: str, said: Said) -> list[Reference]:
    """What an event is about; nothing, for what changes no item."""
    naming = _EVENTS.get(event)
    if naming is None or not isinstance(said.get("repository"), dict):
        return []
    try:
        repository = {"id": int(said["repository"]["id"]), "full_name": str(said["repository"]["full_name"])}
        gone = {"gone": True} if said.get("action") in _GONE else {}
        return [{"kind": kind.value, "repository": repository} | about | gone for kind, about in naming(said)]
    except (LookupError, TypeError, ValueError):
        raise ValidationFailure(
            f"the delivery of {event!r:.60} is not as GitHub writes it", code=Code.INVALID_VALUE
        ) from None


Naming = Iterator[tuple[Entity, Reference]]


def _repository(_: Said) -> Naming:
    yield Entity.REPOSITORY, {}


def _issue(said: Said) -> Naming:
    thing = said["issue"]
    # a comment on a pull request comes as one on an issue
    if thing.get("pull_request"):
        return
    yield Entity.ISSUE, {"id": int(thing["id"]), "path": f"/issues/{int(thing['number'])}"}


def _pull_request(said: Said) -> Naming:
    thing = said["pull_request"]
    yield Entity.PULL_REQUEST, {"id": int(thing["id"]), "path": f"/pulls/{int(thing['number'])}"}


def _label(said: Said) -> Naming:
    thing = said["label"]
    yield Entity.LABEL, {"id": int(thing["id"]), "path": f"/labels/{quote(str(thing['name']), safe='')}"}


def _milestone(said: Said) -> Naming:
    thing = said["milestone"]
    yield Entity.MILESTONE, {"id": int(thing["id"]), "path": f"/milestones/{int(thing['number'])}"}


def _release(said: Said) -> Naming:
    number = int(said["release"]["id"])
    yield Entity.RELEASE, {"id": number, "path": f"/releases/{number}"}


def _push(said: Said) -> Naming:
    """The commits of the default branch, and the repository, which tells when it was pushed to last."""
    if said["ref"] != f"refs/heads/{said['repository']['default_branch']}" or said.get("deleted"):
        return
    yield Entity.REPOSITORY, {}
    commits = said.get("commits") or []
    if len(commits) > _MOST_COMMITS or said.get("forced"):
        return
    for commit in commits:
        sha = str(commit["id"])
        if not (sha.isalnum() and sha.isascii()):
            raise ValueError("no commit")
        yield Entity.COMMIT, {"id": sha, "path": f"/commits/{sha}"}


_EVENTS: dict[str, Callable[[Said], Naming]] = {
    "repository": _repository,
    "public": _repository,
    "issues": _issue,
    "issue_comment": _issue,
    "pull_request": _pull_request,
    "pull_request_review": _pull_request,
    "label": _label,
    "milestone": _milestone,
    "release": _release,
    "push": _push,
}
