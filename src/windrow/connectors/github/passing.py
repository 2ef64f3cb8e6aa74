"""A pass over an account: everything, or what has changed since the pass before, page by page."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from windrow.connectors.github.account import Account
from windrow.connectors.github.commits import read_commits
from windrow.connectors.github.config import GithubConfig
from windrow.connectors.github.cursor import HOME, Part, Place, Way, fingerprint
from windrow.connectors.github.files import Trees
from windrow.connectors.github.lists import read_set, read_updated
from windrow.connectors.github.parts import name
from windrow.connectors.github.repositories import read_repositories
from windrow.connectors.github.walking import Step, Walk
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.page import Page

# a change of what items look like makes everything be listed anew
FORM = 1
# what reading a list runs into that is none of GitHub's; records are looked at one by one, when they become items
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
# so many requests without a record, and how far we are is kept all the same
_CHECKPOINT = 500
_A_DAY = 86400


def configuration(config: GithubConfig) -> str:
    """All that the items depend on beside the source."""
    aside = {"installation_id", "relist_hours", "requests_per_minute", "webhook_secret_ref"}
    said = config.model_dump(mode="json", exclude=aside)
    return fingerprint([FORM, said])


def begun(way: Way | None, config: GithubConfig, now: datetime, account: Account) -> Way:
    """The pass behind a finished one: everything, if it is time for that; else what has changed."""
    known_as = configuration(config)
    number = way.pass_ + 1 if way else 1
    if way is None or way.config != known_as or way.relist or way.owner != account.id or _is_due(way, config, now):
        return Way(
            config=known_as,
            pass_=number,
            began=0,
            whole=True,
            owner=account.id,
            home=account.home,
            place=Place(HOME),
        )
    return Way(
        config=known_as,
        pass_=number,
        began=0,
        since=way.began,
        listed=way.listed,
        owner=account.id,
        home=account.home,
        mark=way.mark if way.home == account.home else None,
        unmet=way.repositories,
        place=Place(HOME),
    )


def _is_due(way: Way, config: GithubConfig, now: datetime) -> bool:
    """By our clock and the source's: one that is a day ahead of us would never be due."""
    passed = now.timestamp() - way.listed
    return not config.relist_hours or passed >= config.relist_hours * 3600 or passed < -_A_DAY


class Pass:
    """One pass, from where it stands to its end."""

    def __init__(self, walk: Walk, way: Way, before: Way | None) -> None:
        self._walk, self._way, self._before = walk, way, before
        self._trees = Trees(walk.config.files)

    async def pages(self, size: int) -> AsyncGenerator[Page, None]:
        """The pages that are left; lists in which nothing is new make none of their own."""
        way = self._way
        # it has no beginning before its first answer: one that has was resumed
        opens, told = way.whole and not way.began, False
        while way.place is not None:
            position = _words(way)
            step = await self._something(way, size)
            way = step.way
            last = way.place is None
            cursor = self._over(way, quiet=not (told or step.records)) if last else way.written()
            yield Page(
                records=step.records,
                cursor=cursor,
                position=position,
                last=last,
                opens=opens,
                whole=last and way.whole and not way.missed,
            )
            opens, told = False, True

    async def _something(self, way: Way, size: int) -> Step:
        """Steps until one brings something, or the pass ends."""
        until = self._walk.api.asked + _CHECKPOINT
        while True:
            step = await self._step(way, size)
            way = step.way
            if step.records or way.place is None or self._walk.api.asked >= until:
                return step

    async def _step(self, way: Way, size: int) -> Step:
        try:
            return await self._read(way, size)
        except _MALFORMED as error:
            raise ValidationFailure(
                f"GitHub's answer is not understood ({_words(way)}): {type(error).__name__}",
                code=Code.INVALID_VALUE,
                hint="check that base_url is that of the API",
            ) from error

    async def _read(self, way: Way, size: int) -> Step:
        assert way.place
        match way.place.list:
            case "repositories":
                return await read_repositories(self._walk, way, size)
            case Part.ISSUES | Part.PULLS:
                return await read_updated(self._walk, way, size)
            case Part.COMMITS:
                return await read_commits(self._walk, way, size)
            case Part.FILES:
                return await self._trees.read(self._walk, way, size)
            case _:
                return await read_set(self._walk, way, size)

    def _over(self, way: Way, *, quiet: bool) -> Any:
        """The cursor behind the pass. Where nothing at all has happened, it is the one that was there before."""
        ended = Way(
            config=way.config,
            pass_=way.pass_,
            began=way.began,
            listed=way.began if way.whole else way.listed,
            relist=way.relist,
            owner=way.owner,
            home=way.home,
            mark=way.mark,
            repositories=way.repositories,
        )
        before = self._before
        if quiet and before and replace(ended, pass_=before.pass_, began=before.began) == before:
            return before.written()
        return ended.written()


def _words(way: Way) -> str:
    place = way.place
    assert place
    where = f"{way.known(place.repository).name} " if place.repository >= 0 else ""
    return f"pass {way.pass_}: {where}{name(place.list)}"
