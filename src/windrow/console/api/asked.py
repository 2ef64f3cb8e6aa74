"""What a request says about pages: how many, and behind which place."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from starlette.requests import Request

from windrow.console.api.behind import Here
from windrow.console.api.paging import MOST, PageTokens, Reading, Turn
from windrow.contracts.scope import Scope
from windrow.web.edge import PRINCIPAL

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Asked:
    """As it was asked, before it is known of which list."""

    tokens: PageTokens
    scope: Scope
    limit: int
    token: str | None

    def about(self, resource: str, kind: type[M], /, **filters: Any) -> Turn[M]:
        """The turn in this list under these filters; `kind` is how its positions are written."""
        reading = Reading(self.scope, resource, filters)
        after = self.tokens.opened(reading, self.token, kind) if self.token is not None else None
        return Turn(self.tokens, reading, after, self.limit)


def _asked(
    request: Request,
    here: Here,
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many at the most.")] = 50,
    page: Annotated[str | None, Query(max_length=2200, description="The `next` of the page before.")] = None,
) -> Asked:
    return Asked(here.tokens, request.scope[PRINCIPAL].scope, limit, page)


Paged = Annotated[Asked, Depends(_asked)]
