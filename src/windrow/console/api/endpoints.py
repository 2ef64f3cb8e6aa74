"""`/api/v1/endpoints`: the sources that are harvested."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from windrow import endpoints
from windrow.connectors import registry
from windrow.connectors.configuration import configured
from windrow.connectors.demands import must_suit
from windrow.console.api.access import Reader, Writer
from windrow.console.api.asked import Paged
from windrow.console.api.behind import Behind, Here
from windrow.console.api.once import Repeatable
from windrow.console.api.operation import resource
from windrow.console.api.paging import Page
from windrow.console.api.versions import IfMatch, expected_version, tagged
from windrow.console.api.wording import Name, NamedEndpoint, Reason, Why, Word
from windrow.console.trial import Trial
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.telemetry.redaction import PROCESS

router = resource("endpoints")

MOST_PREVIEWED = 50
MOST_SECONDS = 60.0


class EndpointView(BaseModel):
    """An endpoint as clients see it. `version` is also its ETag."""

    name: str
    connector: str
    config: dict[str, Any]
    credential_ref: str | None
    schedule: str | None
    page_size: int | None
    version: int
    created_at: datetime | None
    updated_at: datetime | None
    last_checked_at: datetime | None
    removed_at: datetime | None

    @classmethod
    def of(cls, endpoint: Endpoint) -> "EndpointView":
        """Its rules keep secrets out of the configuration, and so does this."""
        shown = {name: getattr(endpoint, name) for name in cls.model_fields if name != "name"}
        return cls(name=endpoint.endpoint_id, **(shown | {"config": PROCESS.value(endpoint.config)}))


class NewEndpoint(BaseModel):
    """A source that is to be harvested."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    connector: Name
    config: dict[str, Any] = {}
    credential_ref: Word | None = Field(None, description="Where its credential is kept; never the secret.")
    schedule: Word | None = Field(None, description="A cron line of five fields, @hourly and the like, or 15m.")
    page_size: int | None = Field(None, ge=endpoints.SMALLEST_PAGE, le=endpoints.LARGEST_PAGE)

    def within(self, scope: Scope) -> Endpoint:
        """As the endpoint that it is to be; checked, also against its connector."""
        said = self.model_dump(exclude={"name"})
        return suited(Endpoint(scope=scope, endpoint_id=self.name, **said))


class EndpointChange(BaseModel):
    """What is to be different; what is not said stays. `config` is replaced as a whole, null takes the others away."""

    model_config = ConfigDict(extra="forbid")

    config: dict[str, Any] = {}
    credential_ref: Word | None = None
    schedule: Word | None = None
    page_size: int | None = Field(None, ge=endpoints.SMALLEST_PAGE, le=endpoints.LARGEST_PAGE)
    reason: Reason | None = Field(None, description="Why, for the audit trail.")


class TrialRequest(BaseModel):
    """How much of the first page is shown."""

    model_config = ConfigDict(extra="forbid")

    preview: int = Field(0, ge=0, le=MOST_PREVIEWED)


class NewTrial(NewEndpoint):
    """An endpoint that is not there yet, to be tried."""

    preview: int = Field(0, ge=0, le=MOST_PREVIEWED)


@router.get("/endpoints")
async def listed(
    caller: Reader,
    here: Here,
    asked: Paged,
    removed: Annotated[bool, Query(description="Also those that were removed.")] = False,
) -> Page[EndpointView]:
    """Every source of the project, by name."""
    turn = asked.about("endpoints", str, removed=removed)
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        found = await endpoints.page(tx, caller.scope, removed=removed, after=turn.after, limit=turn.ask_for)
    return turn.page([EndpointView.of(each) for each in found], lambda each: each.name)


@router.get("/endpoints/{name}")
async def shown(caller: Reader, here: Here, name: NamedEndpoint, response: Response) -> EndpointView:
    """One source with all its settings, also when it was removed."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        return tagged(response, EndpointView.of(await endpoints.get(tx, caller.scope, name, removed=True)))


@router.post("/endpoints", status_code=201)
async def added(caller: Writer, here: Here, once: Repeatable, said: NewEndpoint, response: Response) -> EndpointView:
    """Add a source; one that was removed under the same name is revived."""
    wanted = said.within(caller.scope)
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> EndpointView:
            return EndpointView.of(await endpoints.add(tx, wanted, caller.actor))

        done = await once.within(tx, EndpointView, act)
    response.headers["location"] = f"{router.prefix}/endpoints/{done.name}"
    return tagged(response, done)


@router.patch("/endpoints/{name}")
async def edited(
    caller: Writer,
    here: Here,
    once: Repeatable,
    name: NamedEndpoint,
    said: EndpointChange,
    response: Response,
    if_match: IfMatch = None,
) -> EndpointView:
    """Change a source's settings, over the version that was seen (`If-Match`)."""
    changes = {field: getattr(said, field) for field in said.model_fields_set - {"reason"}}
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> EndpointView:
            before = await endpoints.get(tx, caller.scope, name)
            expected = expected_version(if_match, before.version)
            wanted = suited(replace(before, **changes))
            after = await endpoints.edit(
                tx,
                before,
                {field: getattr(wanted, field) for field in changes},
                expected_version=expected,
                actor=caller.actor,
                reason=said.reason,
            )
            return EndpointView.of(after)

        return tagged(response, await once.within(tx, EndpointView, act))


@router.delete("/endpoints/{name}")
async def removed(
    caller: Writer,
    here: Here,
    once: Repeatable,
    name: NamedEndpoint,
    reason: Why,
    response: Response,
    if_match: IfMatch = "*",
) -> EndpointView:
    """Harvest a source no more. Its items stay in the catalog; adding the same name again revives it."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:

        async def act() -> EndpointView:
            before = await endpoints.get(tx, caller.scope, name)
            expected = expected_version(if_match, before.version)
            gone = await endpoints.remove(
                tx, caller.scope, name, actor=caller.actor, reason=reason, expected_version=expected
            )
            return EndpointView.of(gone)

        return tagged(response, await once.within(tx, EndpointView, act))


@router.post("/endpoints/{name}/trial")
async def tried(caller: Writer, here: Here, name: NamedEndpoint, said: TrialRequest) -> Trial:
    """Can the source be read with its configuration and credential? Nothing is written."""
    async with here.database.tenant(caller.scope.tenant_id) as tx:
        endpoint = await endpoints.get(tx, caller.scope, name)
    return await _attempted(here, endpoint, said.preview)


@router.post("/trials")
async def tried_before_it_is_added(caller: Writer, here: Here, said: NewTrial) -> Trial:
    """Could a source be read that is not added yet? Nothing is written."""
    wanted = NewEndpoint(**said.model_dump(exclude={"preview"})).within(caller.scope)
    return await _attempted(here, wanted, said.preview)


async def _attempted(here: Behind, endpoint: Endpoint, preview: int) -> Trial:
    # a source that does not answer must not hold the caller's connection for as long as it likes
    async with asyncio.timeout(MOST_SECONDS):
        return await here.ports.attempt(endpoint, preview)


def suited(wanted: Endpoint) -> Endpoint:
    """The endpoint as it is to be stored, if its connector can work with it."""
    wanted = endpoints.check(wanted)  # bounds and secrets first: what follows looks at every value
    kind = _connector(wanted.connector)
    must_suit(kind.spec, credential_ref=wanted.credential_ref, page_size=wanted.page_size)
    typed = configured(kind, wanted.config).model_dump(mode="json", exclude_unset=True, by_alias=True)
    return replace(wanted, config=typed)


def _connector(name: str) -> registry.AnyConnector:
    try:
        return registry.find(name)
    except ValidationFailure as error:
        # what is not found is a word of the body, not the address
        raise ValidationFailure(error.message, code=Code.INVALID_VALUE, hint=error.hint) from None
