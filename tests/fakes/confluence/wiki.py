"""What a site holds, and what people do to it. Only writing makes a new version and a new modification time:
moving, labelling, restricting and trashing do not, and so the search does not tell of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

LONG_AGO = timedelta(days=40)


@dataclass
class Space:
    """A space; its pages are below its home page."""

    id: str
    key: str
    name: str
    created: datetime
    home: str | None = None


@dataclass
class Content:
    """A page, post, comment or attachment. `at` is its parent page, or what it is a comment or an attachment of."""

    id: str
    type: str
    title: str
    space: str
    at: str | None
    created: datetime
    modified: datetime
    author: str
    editor: str
    status: str = "current"
    version: int = 1
    labels: dict[str, str] = field(default_factory=dict)
    readers: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    reply_to: str | None = None
    inline: bool = False
    media: str = "image/png"
    size: int = 1024
    # as long as the search has not heard of the last change
    known_as_of: datetime | None = None

    @property
    def number(self) -> int:
        """Ids are numbers; those of attachments have a prefix."""
        return int(self.id.removeprefix("att"))


class Wiki:
    """The contents of a site, with a clock that can be held."""

    def __init__(self) -> None:
        self.spaces: dict[str, Space] = {}
        self.contents: dict[str, Content] = {}
        # of the search: how long it takes until it knows
        self.lag = timedelta(0)
        self.held: datetime | None = None
        self._ids = count(98305, 7)

    def now(self) -> datetime:
        return self.held or datetime.now(UTC)

    def space(self, key: str, name: str) -> Space:
        made = Space(str(next(self._ids)), key, name, self.now() - LONG_AGO)
        self.spaces[key] = made
        made.home = self.add("page", f"{name} Home", key, age=LONG_AGO).id
        return made

    def add(
        self, kind: str, title: str, space: str, at: str | None = None, *, age: timedelta = timedelta(0)
    ) -> Content:
        """Something new, or made some time ago."""
        named, moment = next(self._ids), self.now() - age
        made = Content(
            id=f"att{named}" if kind == "attachment" else str(named),
            type=kind,
            title=title,
            space=space,
            at=at,
            created=moment,
            modified=moment,
            author=f"557058:author-{named % 5}",
            editor=f"557058:author-{named % 5}",
        )
        self.contents[made.id] = made
        return made

    def edit(self, content: Content, title: str | None = None) -> None:
        content.known_as_of = content.modified
        content.title = title or content.title
        content.version += 1
        content.modified = self.now()
        content.editor = f"557058:author-{content.version % 5}"

    def move(self, page: Content, to: Content) -> None:
        """Below another page, of any space; what is below it goes with it."""
        page.at = to.id
        for each in [page, *self.below(page)]:
            each.space = to.space
            for part in self.parts(each):
                part.space = to.space

    def trash(self, content: Content) -> None:
        """Into the trash; the pages below a page stay, one step up, and its comments and attachments go out of sight."""
        for child in [each for each in self.contents.values() if each.type == "page" and each.at == content.id]:
            child.at = content.at
        content.status = "trashed"

    def restore(self, content: Content) -> None:
        content.status = "current"
        above = self.contents.get(content.at or "")
        if content.type == "page" and (above is None or above.status != "current"):
            content.at = self.spaces[content.space].home

    def purge(self, content: Content) -> None:
        """For good, with all that belongs to it. Comments know no trash."""
        for part in list(self.parts(content)):
            del self.contents[part.id]
        del self.contents[content.id]

    def parts(self, content: Content) -> Iterator[Content]:
        """Its comments and attachments; of a comment, its replies."""
        for each in list(self.contents.values()):
            if each.type in ("comment", "attachment") and (each.at == content.id or each.reply_to == content.id):
                yield each

    def below(self, page: Content) -> list[Content]:
        found = [page]
        for above in found:
            found += [each for each in self.contents.values() if each.type == "page" and each.at == above.id]
        return found[1:]

    def ancestors(self, content: Content) -> list[Content]:
        """From the top down: of a page the pages above it, of a reply the comment that it answers."""
        if content.type == "comment":
            return [self.contents[content.reply_to]] if content.reply_to else []
        found: list[Content] = []
        above = content.at if content.type == "page" else None
        while above:
            found.insert(0, self.contents[above])
            above = found[0].at
        return found

    def visible(self, content: Content) -> bool:
        """Whether people see it: neither it nor what it belongs to is in the trash."""
        if content.status != "current":
            return False
        if content.type in ("comment", "attachment"):
            container = self.contents.get(content.at or "")
            return container is not None and self.visible(container)
        return content.at is None or content.type != "page" or self.contents[content.at].status == "current"

    def of_type(self, *types: str) -> list[Content]:
        """What people see of these kinds."""
        return [each for each in self.contents.values() if each.type in types and self.visible(each)]

    def searchable(self, content: Content) -> bool:
        return self.visible(content) and content.created <= self.now() - self.lag

    def modified_by_search(self, content: Content) -> datetime:
        """When the search thinks that it was changed."""
        late = content.modified > self.now() - self.lag
        return content.known_as_of if late and content.known_as_of else content.modified
