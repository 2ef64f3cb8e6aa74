"""A site with people in it: filled to a size, changed one deed at a time, in trouble now and then, and truly told.

The `Source` of a season. What `truth` says is written from the wiki, and by hand: not with the connector's mapping.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import quote_plus
from zoneinfo import ZoneInfo

from tests.fakes.confluence.server import Confluence
from tests.fakes.confluence.shapes import CLOUD, webui
from tests.fakes.confluence.trouble import broken, limited
from tests.fakes.confluence.wiki import Content, Wiki
from tests.fakes.vendor import Vendor

_ZONES = ("Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kolkata", "America/New_York", "UTC")
_WORDS = ("plan", "map/index", "notes", "Über uns", "how & why", "100 % done", "log")


def fill(wiki: Wiki, size: int, drawn: random.Random) -> None:
    """Spaces with trees of pages, posts, comments and attachments: about so many things, all of them old."""
    keys = [wiki.space(key, name).key for key, name in (("OPS", "Operations"), ("DEV", "Development"), ("~ada", "Ada"))]
    while len(wiki.contents) + len(wiki.spaces) < size:
        _add(wiki, keys, drawn, age=timedelta(days=drawn.uniform(3, 30)))


def _add(wiki: Wiki, keys: list[str], drawn: random.Random, *, age: timedelta) -> None:
    kind = drawn.choices(("page", "blogpost", "comment", "attachment"), (60, 8, 20, 12))[0]
    key = drawn.choice(keys)
    title = f"{drawn.choice(_WORDS)} {len(wiki.contents)}"
    if kind == "blogpost":
        wiki.add(kind, title, key, age=age)
        return
    everything = list(wiki.contents.values())
    at = next(
        each for each in iter(lambda: drawn.choice(everything), None) if each.type == "page" and wiki.visible(each)
    )
    made = wiki.add(kind, f"Re: {at.title}" if kind == "comment" else title, at.space, at.id, age=age)
    if kind == "page" and drawn.random() < 0.3:
        made.labels = {drawn.choice(("draft", "howto", "team-a")): "global", "favourite": "my"}
    if kind == "page" and drawn.random() < 0.1:
        made.readers, made.groups = [made.author], ["confluence-admins"]
    if kind == "comment":
        made.inline = drawn.random() < 0.3
        others = [each.id for each in wiki.parts(at) if each.type == "comment" and not each.reply_to]
        made.reply_to = (
            drawn.choice([each for each in others if each != made.id] or [None]) if drawn.random() < 0.4 else None
        )


def truth(site: Confluence) -> dict[str, dict[str, Any]]:
    """What there is, by external id."""
    spaces = {
        f"space:{each.id}": {
            "entity_type": "space",
            "display_name": each.name,
            "canonical_path": each.key,
            "url": f"{site.address}/spaces/{each.key}",
        }
        for each in site.wiki.spaces.values()
    }
    contents = site.wiki.of_type("page", "blogpost", "comment", "attachment")
    return spaces | {f"{each.type}:{each.id}": _true(site, each) for each in contents}


def _true(site: Confluence, content: Content) -> dict[str, Any]:
    path = {
        "page": [content.space, *(each.title for each in site.wiki.ancestors(content)), content.title],
        "blogpost": [content.space, content.title],
        "attachment": [content.at or "", content.title],
    }.get(content.type)
    return {
        "entity_type": content.type,
        "display_name": content.title,
        "canonical_path": "/".join(step.replace("/", "\\/") for step in path) if path else None,
        "url": site.address + webui(site.wiki, content),
        "owners": [content.author if site.edition == CLOUD else content.author.partition(":")[2]],
        "labels": sorted(name for name, prefix in content.labels.items() if prefix == "global"),
        "source_version": str(content.version),
        "source_updated_at": content.modified.replace(microsecond=content.modified.microsecond // 1000 * 1000),
    }


@dataclass
class People:
    """A site, and those who use it."""

    vendor: Vendor = field(init=False)
    seed: int = 0
    size: int = 5000
    edition: str = CLOUD
    connector: str = "confluence"
    credential: str | None = "api-token-of-ada"

    def __post_init__(self) -> None:
        drawn = random.Random(self.seed)
        self.site = Confluence(edition=self.edition, zone=ZoneInfo(drawn.choice(_ZONES)))
        self.vendor = self.site
        fill(self.site.wiki, self.size, drawn)

    @property
    def config(self) -> dict[str, Any]:
        return {"base_url": self.site.address, "email": "ada@example.org"}

    def change(self, drawn: random.Random) -> None:
        with self.site.lock:
            deed = drawn.choices(
                (self._make, self._edit, self._rename, self._move, self._mark, self._trash, self._restore, self._purge),
                (6, 8, 2, 4, 4, 4, 1, 3),
            )[0]
            deed(drawn)

    def trouble(self, drawn: random.Random) -> None:
        """In the midst of what is being read: some requests from now."""
        with self.site.lock:
            self.site.soon.append([drawn.randint(1, 12), self._trouble(drawn)])

    def _trouble(self, drawn: random.Random) -> Callable[[], object]:
        site = self.site
        match drawn.choice(("limit", "broken", "away", "expired", "late", "heavy", "poison")):
            case "limit":
                told = drawn.choice(("0", "3", "-7", "1e9", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", None))
                return lambda: site.instead.append(limited(told))
            case "broken":
                status = drawn.choice((500, 502, 503, 504))
                return lambda: site.instead.append(broken(status))
            case "away":
                return lambda: site.instead.extend([broken(503)] * 4)
            case "expired":
                return site.expire_cursors
            case "late":
                return lambda: setattr(site.wiki, "lag", timedelta(minutes=10))
            case "heavy":
                return partial(site.too_much, drawn.choice((60, 120)), set(), 12)
            case _:
                # three times each, from a page of two hundred down to the one
                return partial(site.too_much, None, {drawn.choice(list(site.wiki.contents))}, 27)

    def calm(self) -> None:
        with self.site.lock:
            self.site.instead.clear()
            self.site.soon.clear()
            self.site.too_much(None, set(), None)
            self.site.wiki.lag = timedelta(0)

    def truth(self) -> dict[str, dict[str, Any]]:
        return truth(self.site)

    def _make(self, drawn: random.Random) -> None:
        _add(self.site.wiki, list(self.site.wiki.spaces), drawn, age=timedelta(0))

    def _edit(self, drawn: random.Random) -> None:
        self.site.wiki.edit(self._some(drawn, "page", "blogpost", "comment", "attachment"))

    def _rename(self, drawn: random.Random) -> None:
        page = self._some(drawn, "page", "blogpost")
        self.site.wiki.edit(page, f"{page.title} {quote_plus('again!')}"[:200])

    def _move(self, drawn: random.Random) -> None:
        wiki = self.site.wiki
        page, to = self._some(drawn, "page"), self._some(drawn, "page")
        is_home = page.id in {space.home for space in wiki.spaces.values()}
        if not is_home and page is not to and page not in wiki.ancestors(to):
            wiki.move(page, to)

    def _mark(self, drawn: random.Random) -> None:
        page = self._some(drawn, "page")
        page.labels = dict.fromkeys(drawn.sample(("draft", "howto", "done"), drawn.randint(0, 3)), "global")
        page.groups = drawn.sample(("staff", "admins"), drawn.randint(0, 2))

    def _trash(self, drawn: random.Random) -> None:
        wiki = self.site.wiki
        gone = self._some(drawn, "page", "blogpost", "attachment", "comment")
        if gone.type == "comment":
            wiki.purge(gone)
        elif gone.id not in {space.home for space in wiki.spaces.values()}:
            wiki.trash(gone)

    def _restore(self, drawn: random.Random) -> None:
        if trashed := [each for each in self.site.wiki.contents.values() if each.status == "trashed"]:
            self.site.wiki.restore(drawn.choice(trashed))

    def _purge(self, drawn: random.Random) -> None:
        if trashed := [each for each in self.site.wiki.contents.values() if each.status == "trashed"]:
            self.site.wiki.purge(drawn.choice(trashed))

    def _some(self, drawn: random.Random, *kinds: str) -> Content:
        """One of what people see; drawn from all, and drawn again if they do not."""
        everything = list(self.site.wiki.contents.values())
        while True:
            one = drawn.choice(everything)
            if one.type in kinds and self.site.wiki.visible(one):
                return one
