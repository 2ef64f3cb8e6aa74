"""Who may do what: every operation, for every role and for strangers of every kind."""

from typing import Any
from uuid import UUID

from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import MARK, Stock, stocked

from windrow.console.api.operation import Operation
from windrow.console.api.operations import OPERATIONS
from windrow.postgres import audit
from windrow.web.principal import Role

HOLDERS = {"token-of-a-reader": Role.READER, "token-of-a-writer": Role.WRITER, "token-of-acme": Role.ADMIN}
STRANGERS = ("token-of-other", "token-of-elsewhere")
ORDER = list(Role)
# what the whole tenant has in common, to whoever may see it from any of its projects
TENANT_WIDE = ("topics", "dead-letters", "audit")


async def called(desk: Desk, stock: Stock, operation: Operation, token: str | None) -> Any:
    """The operation, about something that is there; a body that is never good, so that nothing is changed."""
    (method,) = operation.methods or {"GET"}
    headers = {"authorization": f"Bearer {token}"} if token else {}
    body = {} if method in ("GET", "DELETE") else {"json": {"unheard_of": 1}}
    return await desk.house.client.request(
        method, stock.path(operation.path), headers=headers, params={"q": MARK}, **body
    )


async def test_every_operation_is_for_those_who_have_its_role_and_every_refusal_is_audited(desk: Desk) -> None:
    stock = await stocked(desk.database)
    wrong, refused = [], 0
    for operation in OPERATIONS:
        for token, held in HOLDERS.items():
            status = (await called(desk, stock, operation, token)).status_code
            allowed = ORDER.index(held) >= ORDER.index(operation.role)
            refused += not allowed
            if (status == 403) is allowed or status in (401, 500, 503):
                wrong.append((operation.path, token, status))
    async with desk.database.tenant("acme") as tx:
        lines = [line for line in await audit.history(tx, limit=1000) if line.action == "access.refuse"]

    assert wrong == []
    assert len(lines) == refused > 0


async def test_nobody_without_a_token_of_ours_is_told_anything(desk: Desk) -> None:
    anything = Stock(UUID(int=1), str(UUID(int=1)), UUID(int=1), "0" * 16, "run-0")
    for operation in OPERATIONS:
        for token in (None, "a token that somebody made up"):
            answer = await called(desk, anything, operation, token)
            assert answer.status_code == 401, operation.path
            assert "www-authenticate" in answer.headers


async def test_no_other_tenant_and_no_other_project_sees_any_of_it(desk: Desk) -> None:
    stock = await stocked(desk.database)
    seen_by_its_own: set[str] = set()
    for operation in OPERATIONS:
        own = await called(desk, stock, operation, "token-of-acme")
        if operation.methods == {"GET"} and MARK in own.text:
            seen_by_its_own.add(operation.path)
        for token in STRANGERS:
            if token == "token-of-elsewhere" and operation.tags[0] in TENANT_WIDE:
                continue
            answer = await called(desk, stock, operation, token)
            assert MARK not in answer.text.replace(f"q={MARK}", ""), (operation.path, token)

    assert len(seen_by_its_own) > 12, "else it would prove little"


async def test_a_stranger_changes_nothing_that_is_anothers(desk: Desk) -> None:
    stock = await stocked(desk.database)
    acts = {
        "/endpoints/shop/schedule/pause": {"reason": "no"},
        f"/jobs/{stock.job_id}/cancel": {},
        f"/media-jobs/{stock.media_job_id}/cancel": {},
        f"/quarantine/shop/{stock.entry_id}/dismiss": {"reason": "no"},
        f"/quarantine/shop/{stock.entry_id}/retry": {},
        "/outbox/shop/discard": {"reason": "no"},
    }
    for token in STRANGERS:
        for path, said in acts.items():
            assert (await desk.ask("POST", path, token, json=said)).status_code == 404, path
        gone = await desk.ask("DELETE", "/endpoints/shop", token, params={"reason": "no"})
        forgotten = await desk.ask("DELETE", "/kv/notes/1", token, headers={"if-match": "*"})
        assert (gone.status_code, forgotten.status_code) == (404, 404)

    assert (await desk.get(f"/jobs/{stock.job_id}"))["status"] == "queued"
