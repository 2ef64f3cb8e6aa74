"""Whose repositories are harvested, and by which list they are found."""

from dataclasses import dataclass
from typing import Any

from windrow.connectors.context import Context
from windrow.connectors.github.api import Api
from windrow.connectors.github.config import GithubConfig
from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError

_NOTE = "account"
_OLDEST_FIRST = "sort=created&direction=asc"


@dataclass(frozen=True, slots=True)
class Account:
    """A user or an organisation: its number, its present name, and the list of its repositories, as a path of the API."""

    id: int
    login: str
    kind: str
    home: str


async def find_account(api: Api, config: GithubConfig, context: Context) -> Account:
    """Ask for the account; again and again it costs nothing, since the last answer and its ETag are noted together."""
    noted = await _noted(config, context)
    answer = await api.get(api.path(f"/users/{config.owner}"), etag=noted.get("etag"), what="account")
    if answer.same:
        return Account(**noted["account"])
    if not answer.found or not isinstance(answer.body, dict):
        raise unreadable(config, answer.status, answer.said)
    said = answer.body
    kind = str(said.get("type", "User"))
    home = await _home(api, config, context, kind, int(said["id"]))
    found = Account(int(said["id"]), str(said["login"]), kind, home)
    # which list shows a user's repositories depends on whose token it is: only what does not is noted
    if answer.etag and (kind == "Organization" or config.app_id):
        kept = {"id": found.id, "login": found.login, "kind": kind, "home": home}
        await context.notes.put(_NOTE, {"of": _asked_by(config), "etag": answer.etag, "account": kept})
    return found


def unreadable(config: GithubConfig, status: int, said: str) -> WindrowError:
    """What to tell when not even the account can be read."""
    if status in (403, 451):
        return Fatal(
            f"{config.owner} may not be read: {said}",
            code=Code.FORBIDDEN,
            hint="check what the credential may read, and whether the organisation's single sign-on knows it",
        )
    return ValidationFailure(
        f"there is no {config.owner} for us: {said}",
        code=Code.NOT_FOUND,
        hint="check the owner, base_url, and that the credential may see it",
    )


async def _home(api: Api, config: GithubConfig, context: Context, kind: str, number: int) -> str:
    """An App has a list of what it is installed on; a user's own token also lists what is private."""
    if config.app_id:
        return "/installation/repositories"
    if kind == "Organization":
        return f"/orgs/{config.owner}/repos?type=all&{_OLDEST_FIRST}"
    if await context.credential() is not None:
        me = await api.get(api.path("/user"), what="account")
        if me.found and isinstance(me.body, dict) and me.body.get("id") == number:
            return f"/user/repos?affiliation=owner&{_OLDEST_FIRST}"
    return f"/users/{config.owner}/repos?type=owner&{_OLDEST_FIRST}"


async def _noted(config: GithubConfig, context: Context) -> dict[str, Any]:
    noted = await context.notes.get(_NOTE)
    usable = isinstance(noted, dict) and noted.get("of") == _asked_by(config)
    if not usable or not isinstance(account := noted.get("account"), dict):
        return {}
    return noted if account.keys() == {"id", "login", "kind", "home"} else {}


def _asked_by(config: GithubConfig) -> list[Any]:
    return [config.base_url, config.owner, config.app_id]
