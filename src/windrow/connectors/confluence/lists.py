"""Which lists a pass reads, and how each of them is asked for.

The Cloud's newer API says which pages and posts there are, and little about them: each page of them is described by one more
request. For what it lacks (changes, comments and attachments by space) and in a Data Center the older API is asked, often by
CQL, and describes what it lists by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from windrow.connectors.confluence.config import ConfluenceConfig, Edition, Entity
from windrow.connectors.confluence.cursor import Kind
from windrow.connectors.confluence.window import since

SEARCH = "rest/api/content/search"
CONTENT = "rest/api/content"
CHANGED = "changed"
GONE = frozenset({"trashed", "deleted"})
# what the older API tells of a thing only when it is asked to
EXPAND = ",".join(
    (
        "ancestors",
        "container",
        "extensions.resolution",
        "history.ownedBy",
        "metadata.labels",
        *(f"restrictions.{what}.restrictions.{who}" for what in ("read", "update") for who in ("group", "user")),
        "space",
        "version",
    )
)
_PLURALS = {Entity.PAGE: "pages", Entity.BLOGPOST: "blogposts", Entity.ATTACHMENT: "attachments"}


@dataclass(frozen=True, slots=True)
class List:
    """One list of the source. `of`: the kind of its things, None where they are of several. `gone`: it holds what is not there.

    One that is `expanded` describes what it lists; asked to be light, it does not.
    """

    name: str
    path: str
    params: tuple[tuple[str, str], ...]
    of: Entity | None = None
    gone: bool = False
    expanded: bool = False

    def link(self, limit: int, *, start: int | None = None, light: bool = False) -> str:
        """The request for its first records, or for those from a place on."""
        expand = (("expand", EXPAND),) if self.expanded and not light else ()
        counted = () if start is None else (("start", str(start)),)
        return f"{self.path}?{urlencode((*self.params, *expand, ('limit', str(limit)), *counted), quote_via=quote)}"


def spaces(config: ConfluenceConfig) -> List:
    """The spaces that are read."""
    if config.edition is Edition.CLOUD:
        keys = (("keys", ",".join(config.spaces)),) if config.spaces else ()
        return List("space", "api/v2/spaces", (*keys, ("sort", "id")), Entity.SPACE)
    named = tuple(("spaceKey", key) for key in config.spaces)
    return List("space", "rest/api/space", (*named, ("expand", "homepage")), Entity.SPACE)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The lists of one endpoint. The newer API wants the ids of spaces, not their keys."""

    config: ConfluenceConfig
    space_ids: Sequence[str] = ()

    def of(self, kind: Kind, watermark: datetime | None) -> list[List]:
        """The lists of a pass, in order."""
        if kind is Kind.LISTING:
            return [self._everything(entity) for entity in Entity if entity in self.config.entities]
        assert watermark, "changes are since something"
        named = [spaces(self.config)] if Entity.SPACE in self.config.entities else []
        return [*named, *self._changed(watermark), *self._trash()]

    def _everything(self, entity: Entity) -> List:
        cloud = self.config.edition is Edition.CLOUD
        if entity is Entity.SPACE:
            return spaces(self.config)
        if entity in (Entity.PAGE, Entity.BLOGPOST):
            if cloud:
                return List(entity.value, f"api/v2/{_PLURALS[entity]}", self._v2("current", "id"), entity)
            if not self.config.spaces:
                params = (("type", entity.value), ("status", "current"))
                return List(entity.value, CONTENT, params, entity, expanded=True)
        return self._search(entity.value, f"type = {entity.value}", "created", entity)

    def _changed(self, watermark: datetime) -> list[List]:
        kinds = ", ".join(
            entity.value for entity in Entity if entity in self.config.entities and entity.value != "space"
        )
        if not kinds:
            return []
        moment = since(watermark, self.config.zone)
        return [self._search(CHANGED, f'lastmodified >= "{moment}" and type in ({kinds})', "lastmodified", None)]

    def _trash(self) -> list[List]:
        """Of attachments only in a Cloud of which all is read: which space a trashed one was in, nobody says."""
        all_of_cloud = self.config.edition is Edition.CLOUD and not self.config.spaces
        wanted = [Entity.PAGE, Entity.BLOGPOST, *((Entity.ATTACHMENT,) if all_of_cloud else ())]
        return [self._trashed(entity) for entity in wanted if entity in self.config.entities]

    def _trashed(self, entity: Entity) -> List:
        name = f"trash:{entity.value}"
        if self.config.edition is Edition.CLOUD:
            # `deleted`: on the way from the trash to nowhere
            file = entity is Entity.ATTACHMENT
            params = self._v2("trashed", "created-date") if file else self._v2("trashed,deleted", "id")
            return List(name, f"api/v2/{_PLURALS[entity]}", params, entity, gone=True)
        params = (("type", entity.value), ("status", "trashed"), ("expand", "space"))
        return List(name, CONTENT, params, entity, gone=True)

    def _v2(self, status: str, order: str) -> tuple[tuple[str, str], ...]:
        within = (("space-id", ",".join(self.space_ids)),) if self.config.spaces else ()
        return (*within, ("status", status), ("sort", order))

    def _search(self, name: str, clause: str, order: str, of: Entity | None) -> List:
        keys = ", ".join(f'"{key}"' for key in self.config.spaces)
        scope = f" and space in ({keys})" if keys else ""
        return List(name, SEARCH, (("cql", f"{clause}{scope} order by {order} asc"),), of, expanded=True)
