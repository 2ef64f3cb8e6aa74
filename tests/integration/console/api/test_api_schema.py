"""The document is the truth: whatever is sent, the API answers with something that the document tells of, and never fails."""

import asyncio
import traceback
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import Stock, stocked

from windrow.console.api.document import document
from windrow.console.api.operations import OPERATIONS

# the server draws numbers too, in its own thread, while Hypothesis looks whether a strategy does
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
# what waits for something that this test has not: Temporal, sources
AWAY = 503
FEW, MANY = 4, 50
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@dataclass(frozen=True, slots=True)
class Attack:
    """Requests made from the document, by an admin, against what is in stock."""

    url: str
    stock: Stock
    session: requests.Session

    def on(self, operation: APIOperation[Any, Any, Any, Any], number: int, examples: int) -> str | None:
        """So many requests of one operation; what was found."""

        @seeded(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), there=st.booleans())
        def tried(case: Case, there: bool) -> None:
            self.send(case, there)

        try:
            tried()
        except (
            BaseException
        ) as error:  # a group of failures is one too, and the other operations are looked at all the same
            return f"{operation.label}: {''.join(traceback.format_exception(error))[-6000:]}"
        return None

    def send(self, case: Case, there: bool) -> None:
        """Half of them are about things that are there: else most would end at "not found"."""
        if there:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = self.stock.path(f"{{{name}}}")
        response = case.call(base_url=self.url, session=self.session)
        if response.status_code != AWAY:
            case.validate_response(response, checks=CHECKS)


def attack(url: str, stock: Stock, number: int, examples: int) -> list[str]:
    """Every operation; what was found."""
    schema = schemathesis.openapi.from_dict(document(OPERATIONS))
    with requests.Session() as session:
        session.headers["authorization"] = "Bearer token-of-acme"
        each = Attack(url, stock, session)
        found = [each.on(result.ok(), number, examples) for result in schema.get_all_operations()]
    return [one for one in found if one]


@pytest.mark.campaign
async def test_no_request_makes_the_api_fail_or_answer_what_is_not_documented(desk: Desk, seed: int) -> None:
    stock = await stocked(desk.database)

    found = await asyncio.to_thread(attack, f"http://{desk.house.door}", stock, seed, FEW if seed == 0 else MANY)

    assert not found, "\n\n".join(found)
