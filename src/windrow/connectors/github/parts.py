"""The lists of a repository: what they hold, and how their first page is asked for. Pure."""

from datetime import UTC, date, datetime
from urllib.parse import urlencode

from windrow.connectors.github.config import Entity, GithubConfig
from windrow.connectors.github.cursor import HOME, Known, Part

ENTITIES = {
    Part.LABELS: Entity.LABEL,
    Part.MILESTONES: Entity.MILESTONE,
    Part.ISSUES: Entity.ISSUE,
    Part.PULLS: Entity.PULL_REQUEST,
    Part.RELEASES: Entity.RELEASE,
    Part.COMMITS: Entity.COMMIT,
    Part.FILES: Entity.FILE,
}
_PATHS = {Part.PULLS: "pulls", Part.COMMITS: "commits", Part.FILES: "git/trees"} | {
    part: f"{ENTITIES[part]}s" for part in (Part.LABELS, Part.MILESTONES, Part.ISSUES, Part.RELEASES)
}
_STATES = (Part.MILESTONES, Part.ISSUES, Part.PULLS)


def wanted(config: GithubConfig) -> tuple[Part, ...]:
    """The lists that are read. Which files there are is known by a commit, so commits are looked at for files too."""
    entities = set(config.entities) | ({Entity.COMMIT} if Entity.FILE in config.entities else set())
    return tuple(part for part in Part if ENTITIES[part] in entities)


def name(part: str) -> str:
    """For a person."""
    return ENTITIES[Part(part)].replace("_", " ") + "s" if part != HOME else HOME


def path(known: Known, part: Part, below: str = "") -> str:
    """Where a list of a repository is."""
    return f"/repos/{known.name}/{_PATHS[part]}{below}"


def whole(known: Known, part: Part, size: int) -> str:
    """A list as it is; what has a state, in every state."""
    return _asked(path(known, part), state="all" if part in _STATES else None, per_page=size)


def by_update(known: Known, part: Part, size: int) -> str:
    """What was updated last comes first: by its first page one learns whether anything was."""
    return _asked(path(known, part), state="all", sort="updated", direction="desc", per_page=size)


def by_age(known: Known, part: Part, size: int, since: int = 0) -> str:
    """The oldest first: what is updated meanwhile stays where it is, what is new comes at the end.

    `since` is left out where there is none: the beginning of the epoch would be answered with an empty list.
    """
    moment = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if since > 0 else None
    return _asked(path(known, part), state="all", since=moment, sort="created", direction="asc", per_page=size)


def history(known: Known, of: str, size: int, since: date | None = None) -> str:
    """The commits behind a branch or a commit."""
    day = f"{since:%Y-%m-%d}T00:00:00Z" if since else None
    return _asked(path(known, Part.COMMITS), sha=of, since=day, per_page=size)


def comparison(known: Known, base: str, head: str, size: int) -> str:
    """The commits that one has and the other has not. A `since` would miss those that are pushed long after they were made."""
    return _asked(f"/repos/{known.name}/compare/{base}...{head}", per_page=size)


def _asked(where: str, **parameters: str | int | None) -> str:
    return f"{where}?{urlencode({name: value for name, value in parameters.items() if value is not None})}"
