"""What a definition says: where an API is, how one proves who one is, what its streams are, and what becomes of a record."""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from windrow.connectors.rest.parts import Header, Name, Parameter, Part, Short, Status, TokenUrl, Url
from windrow.connectors.rest.texts import AnswerText, BodyPath, RecordText, RecordTexts, RequestText
from windrow.telemetry import redact
from windrow.telemetry.redaction import secret_by_name

MOST_REQUESTS = 100_000
_STREAMS, _ATTRIBUTES = 50, 100


class AuthType(StrEnum):
    """How one proves who one is."""

    NONE = "none"
    BEARER = "bearer"
    BASIC = "basic"
    HEADER = "header"
    QUERY = "query"
    OAUTH2 = "oauth2"


class Auth(Part):
    """What is done with the endpoint's credential. It goes to the origin of base_url, and for oauth2 to token_url."""

    type: AuthType = Field(AuthType.NONE, description="how")
    username: Short | None = Field(None, description="basic: the user; else the credential is USER:PASSWORD")
    header: Header | None = Field(None, description="header: its name")
    prefix: Short = Field("", description="header: what stands before the credential, such as `Token `")
    param: Parameter | None = Field(None, description="query: the parameter's name")
    token_url: TokenUrl | None = Field(
        None,
        description="oauth2: where a token is asked for by client credentials; an address, or a path below base_url",
    )
    client_id: Short | None = Field(None, description="oauth2: the client; else the credential is ID:SECRET")
    scope: Short | None = Field(None, description="oauth2: what is asked for")
    audience: Short | None = Field(None, description="oauth2: for whom, where that has to be said")
    client_auth: Literal["basic", "body"] = Field("basic", description="oauth2: where the client proves itself")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        own = {
            AuthType.BASIC: {"username"},
            AuthType.HEADER: {"header", "prefix"},
            AuthType.QUERY: {"param"},
            AuthType.OAUTH2: {"token_url", "client_id", "scope", "audience", "client_auth"},
        }
        needed = {AuthType.HEADER: "header", AuthType.QUERY: "param", AuthType.OAUTH2: "token_url"}
        if strange := self.model_fields_set - {"type"} - own.get(self.type, set()):
            raise ValueError(f"{', '.join(sorted(strange))} has no meaning for {self.type}")
        if (due := needed.get(self.type)) and getattr(self, due) is None:
            raise ValueError(f"{self.type} needs {due}")
        return self


class Rate(Part):
    """How fast the source may be asked."""

    requests: float = Field(gt=0, le=10_000, description="so many requests")
    seconds: float = Field(1.0, gt=0, le=86_400, description="in so many seconds")
    burst: int = Field(1, ge=1, le=1000, description="so many at once after a rest")


class Limits(Part):
    """How the source says that it was asked too often. 429 and Retry-After are always understood."""

    statuses: tuple[Status, ...] = Field((429,), max_length=10, description="the statuses that may mean it")
    remaining: Header | None = Field(None, description="the header with what is left; other statuses mean it only at 0")
    reset: Header | None = Field(None, description="the header that says when there is more")
    reset_as: Literal["epoch", "seconds"] = Field("epoch", description="what that header holds")


class PagingType(StrEnum):
    """How one list leads to its next part."""

    NONE = "none"
    LINK = "link"
    NEXT = "next"
    CURSOR = "cursor"
    OFFSET = "offset"
    PAGE = "page"


class Pagination(Part):
    """How the parts of a list follow one another."""

    type: PagingType = Field(PagingType.NONE, description="link header, next URL, cursor, offset, page number; or none")
    next: AnswerText | None = Field(None, description="next, cursor: where the answer says what follows; null ends")
    param: Parameter | None = Field(None, description="cursor, offset, page: the parameter's name")
    first: int = Field(1, ge=0, le=1, description="page: the number of the first")
    size_param: Parameter | None = Field(None, description="the parameter that asks for so many records")
    size_most: int = Field(500, ge=1, le=500, description="no more than this is asked for")
    more: AnswerText | None = Field(None, description="true where the answer says that more follows")
    total: AnswerText | None = Field(None, description="offset, page: how many records there are in all")
    stop: Literal["empty", "short"] = Field("empty", description="offset, page: what else ends the list")
    most: int = Field(MOST_REQUESTS, ge=1, le=MOST_REQUESTS, description="no list has more parts than this")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        needs = {
            PagingType.NEXT: {"next"},
            PagingType.CURSOR: {"next", "param"},
            PagingType.OFFSET: {"param"},
            PagingType.PAGE: {"param"},
        }
        counted = {"param", "total", "stop", "more"}
        takes = {
            PagingType.LINK: {"more"},
            PagingType.NEXT: {"next", "more"},
            PagingType.CURSOR: {"next", "param", "more"},
            PagingType.OFFSET: counted,
            PagingType.PAGE: counted | {"first"},
        }
        if missing := sorted(name for name in needs.get(self.type, ()) if getattr(self, name) is None):
            raise ValueError(f"{self.type} needs {', '.join(missing)}")
        known = takes.get(self.type, set()) | {"type", "size_param", "size_most", "most"}
        if strange := self.model_fields_set - known:
            raise ValueError(f"{', '.join(sorted(strange))} has no meaning for {self.type}")
        if self.stop == "short" and self.size_param is None:
            raise ValueError("stop: short needs size_param: what is short follows from what was asked for")
        return self


class Incremental(Part):
    """How a later pass reads only what changed: `{since}` among the parameters, the record's own time, or both."""

    field: RecordText | None = Field(None, description="when a record was changed; older ones are left out")
    newest_first: bool = Field(False, description="the list is sorted by that field: the first older one ends it")
    overlap_seconds: int = Field(300, ge=0, le=7 * 86_400, description="how much earlier than the last pass to begin")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.newest_first and self.field is None:
            raise ValueError("newest_first needs field")
        return self


class Mapping(Part):
    """What a record becomes."""

    entity_type: RecordText = Field(description="the kind of thing")
    external_id: RecordText = Field(description="how the source names it, whatever else changes")
    display_name: RecordText = Field(description="what a person calls it")
    path: RecordText | None = Field(None, description="where it stands in the source's own order")
    url: RecordText | None = Field(None, description="where a person can open it")
    owners: RecordTexts = Field((), description="who answers for it")
    labels: RecordTexts = Field((), description="what it is marked with")
    version: RecordText | None = Field(None, description="the source's own version of it")
    created_at: RecordText | None = Field(None, description="when it began to be")
    updated_at: RecordText | None = Field(None, description="when it last changed")
    deleted: RecordText | None = Field(None, description="true where the source says that it is gone")
    attributes: dict[Short, RecordText] = Field({}, max_length=_ATTRIBUTES, description="what else it says: metadata")
    relations: dict[Short, RecordText] = Field(
        {}, max_length=_ATTRIBUTES, description="by type, the external_id of other items: one, or a list"
    )


class Stream(Part):
    """One list of the API; or one for every record of another stream, its parent."""

    path: RequestText = Field(description="below base_url; holes are escaped")
    parent: Name | None = Field(None, description="the stream for each of whose records this is read")
    params: dict[Parameter, RequestText] = Field({}, max_length=50, description="of the query; a null leaves one out")
    records: BodyPath = Field("body", description="where in the answer the list of records is")
    when: RecordText | None = Field(None, description="only records for which this is true")
    pagination: Pagination = Field(Pagination(), description="how the parts of the list follow one another")
    incremental: Incremental | None = Field(None, description="how a later pass reads only what changed")
    skip: tuple[Status, ...] | None = Field(
        None, max_length=20, description="statuses that pass this one list over; for a child 404 and 410, if not given"
    )
    item: Mapping | None = Field(None, description="what a record becomes; without it, it only leads to others")

    @property
    def skipped(self) -> tuple[int, ...]:
        """The statuses that pass its list over. What a child belongs to may be gone by the time that it is asked for."""
        return ((404, 410) if self.parent else ()) if self.skip is None else self.skip


class Definition(Part):
    """An API, and what of it is harvested."""

    version: Literal[1] = Field(description="of this format")
    title: Short = Field("", description="for people")
    base_url: Url = Field(description="all paths are below it; credentials go to its origin")
    auth: Auth = Field(Auth(), description="how one proves who one is")
    headers: dict[Header, Short] = Field({}, max_length=20, description="sent with every request; never a secret")
    rate: Rate | None = Field(None, description="how fast the source may be asked")
    limits: Limits = Field(Limits(), description="how the source says that it was asked too often")
    deletes: Literal["never", "listed"] = Field("never", description="listed: what a whole pass does not find is gone")
    relist_hours: float | None = Field(None, ge=0, le=8760, description="how often everything is read anew")
    values: dict[Name, Short] = Field({}, max_length=50, description="what the endpoint's author has to give, in words")
    streams: dict[Name, Stream] = Field(min_length=1, max_length=_STREAMS, description="the lists, by name")

    @field_validator("headers")
    @classmethod
    def _hold_no_secret(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if secret_by_name(name.replace("-", "_")) or redact(value) != value:
                raise ValueError(f"{name} would be a secret in clear: use auth, and a credential_ref")
        return headers

    def children(self, stream: str | None) -> list[str]:
        """The streams that are read for each record of this one; for None, those that stand alone."""
        return [name for name, each in self.streams.items() if each.parent == stream]
