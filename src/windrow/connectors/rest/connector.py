"""Any REST API as a source, as a definition describes it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, Self

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.context import Context
from windrow.connectors.rest import cursor as cursors
from windrow.connectors.rest import mapping
from windrow.connectors.rest.asking import Asker, policy
from windrow.connectors.rest.config import RestConfig, unsuited
from windrow.connectors.rest.definition import AuthType, Definition
from windrow.connectors.rest.reading import permitted_definition
from windrow.connectors.rest.requests import Api
from windrow.connectors.rest.walk import Walk
from windrow.connectors.spec import Capabilities, ConnectorSpec, Credential, Deletes
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.item import Item
from windrow.contracts.page import Cursor, Page

# a run looks at its source at each of its slices; one that answered lately is not asked for that alone
_LOOKED = timedelta(minutes=30)


class RestConnector(Connector[RestConfig]):
    """Reads what a definition says, and runs nothing of it."""

    spec: ClassVar[ConnectorSpec] = ConnectorSpec(
        name="rest",
        version="1",
        title="Any REST API, by a definition",
        source_system="rest",
        config=RestConfig,
        capabilities=Capabilities(preview=True, deletes=Deletes.LISTED, incremental=True),
        credential=Credential.OPTIONAL,
        credential_help="what the definition's `auth` takes: a token, USER:PASSWORD, or CLIENT_ID:CLIENT_SECRET",
        path_fields=("file",),
    )

    @classmethod
    def suited(cls, config: RestConfig, context: Context) -> type[Self]:
        """The connector with the abilities that the definition gives it."""
        able = _able(cls(config, context).api.definition)
        return type(cls.__name__, (cls,), {"spec": replace(cls.spec, capabilities=able), "__module__": cls.__module__})

    @cached_property
    def api(self) -> Api:
        """The API, as the definition and the endpoint say."""
        definition = self.config.definition
        if definition is None:
            assert self.config.file
            definition = permitted_definition(self.config.file, self.context.permits)
            if wrong := list(unsuited(self.config, definition)):
                raise ValidationFailure(
                    "; ".join(wrong), code=Code.INVALID, hint="`windrow endpoint edit` changes what an endpoint says"
                )
        return Api(definition, self.config.base_url or definition.base_url, self.config.values)

    async def prepare(self) -> list[Finding]:
        """Is the definition whole, is there a credential where it wants one, and does the API answer."""
        definition = self.api.definition
        streams = ", ".join(definition.streams)
        found = [Finding("definition", True, f"{definition.title or 'an API'}: {streams}")]
        if definition.auth.type is AuthType.NONE and await self.context.credential():
            found.append(Finding("credential", True, "is not used: the definition says auth: none"))
        return [*found, Finding("source", True, await self._looked())]

    async def fetch_pages(self, cursor: Cursor, page_size: int) -> AsyncIterator[Page]:
        """What has changed since the cursor, as far as the API can say so; everything, from none."""
        journey = cursors.begin(cursor, self.api.definition, self.api.known_as, self.context.now())
        async with self.context.http(policy(self.api.definition.rate)) as client:
            walk = Walk(self.api, journey, Asker(self.api, self.context, client, self._tool), self.context)
            last = False
            while not last:
                page = await walk.page(page_size)
                last = page.last
                yield page

    def item(self, record: Any) -> Item:
        """One record as an item."""
        return mapping.item(self.api.definition, record, self.api.values)

    def progress(self, cursor: Cursor) -> int | None:
        """Passes and pages, as one number."""
        return cursors.read(cursor).progress if cursor is not None else 0

    @cached_property
    def _tool(self) -> ExecutionTool:
        return ExecutionTool(self.spec.name, self.context, concurrency=self.spec.max_concurrency)

    async def _looked(self) -> str:
        known_as, now = self.api.known_as, self.context.now()
        noted = await self.context.notes.get("looked")
        if isinstance(noted, dict) and noted.get("known_as") == known_as and _lately(noted.get("at"), now):
            return f"it answered at {noted['at']}"
        async with self.context.http(policy(self.api.definition.rate)) as client:
            said = await Asker(self.api, self.context, client, self._tool).look()
        await self.context.notes.put("looked", {"known_as": known_as, "at": now.isoformat()})
        return said


def _lately(at: Any, now: datetime) -> bool:
    try:
        return timedelta(0) <= now - datetime.fromisoformat(str(at)) < _LOOKED
    except (ValueError, TypeError):
        return False


def _able(definition: Definition) -> Capabilities:
    told = any(stream.item and stream.item.deleted for stream in definition.streams.values())
    listed = definition.deletes == "listed"
    return Capabilities(
        preview=True,
        deletes=Deletes.LISTED if listed else Deletes.REPORTED if told else Deletes.NEVER,
        incremental=any(stream.incremental for stream in definition.streams.values()),
    )
