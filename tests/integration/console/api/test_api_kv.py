"""The semantic store by the API: written over what was seen, and never where agents keep what they steer by."""

from typing import Any

import pytest
from tests.integration.console.api.desk import Desk
from tests.integration.console.api.stock import stocked
from tests.integration.harvest.shop import ACME

from windrow import kv
from windrow.contracts.keys import Key

NEW = {"if-none-match": "*"}


async def test_an_entry_is_made_written_over_what_was_seen_and_deleted(desk: Desk) -> None:
    wish: dict[str, Any] = {"value": {"on": True}, "purpose": "feature_flag", "spec_ref": "spec/7"}

    made = await desk.ask("PUT", "/kv/flags/dark", json=wish, headers=NEW)
    tag = {"if-match": made.headers["etag"]}
    changed = await desk.ask("PUT", "/kv/flags/dark", "token-of-a-writer", json=wish | {"value": None}, headers=tag)
    stale = await desk.ask("PUT", "/kv/flags/dark", json=wish, headers=tag)
    shown = await desk.ask("GET", "/kv/flags/dark")
    gone = await desk.ask("DELETE", "/kv/flags/dark", headers={"if-match": shown.headers["etag"]})
    lines = (await desk.get("/audit", subject="tenant/acme/project/main/flags/dark"))["items"]

    assert (made.status_code, changed.status_code, stale.status_code, gone.status_code) == (201, 200, 412, 200)
    assert (made.json()["value"], made.json()["purpose"], made.json()["spec_ref"]) == (
        {"on": True},
        "feature_flag",
        "spec/7",
    )
    assert (shown.json()["value"], shown.json()["version"]) == (None, 2)
    assert (stale.json()["title"], stale.json()["code"]) == ("Conflict", "CAS_MISMATCH")
    assert (gone.json(), (await desk.ask("GET", "/kv/flags/dark")).status_code) == (
        {"path": "flags/dark", "version": 3},
        404,
    )
    assert [each["actor"] for each in lines] == ["anna", "walt", "anna"]


async def test_a_write_says_what_it_has_seen(desk: Desk) -> None:
    await stocked(desk.database)
    wish = {"value": 1}

    answers = [
        await desk.ask("PUT", "/kv/notes/1", json=wish),
        await desk.ask("DELETE", "/kv/notes/1"),
        await desk.ask("PUT", "/kv/notes/1", json=wish, headers=NEW),
        await desk.ask("PUT", "/kv/notes/new", json=wish, headers={"if-match": "*"}),
        await desk.ask("DELETE", "/kv/notes/1", headers={"if-match": '"9"'}),
        await desk.ask("PUT", "/kv/notes/1", json=wish, headers={"if-match": "*"}),
    ]

    assert [answer.status_code for answer in answers] == [428, 428, 412, 412, 412, 200]


async def test_the_same_write_under_one_key_is_written_once(desk: Desk) -> None:
    key = NEW | {"idempotency-key": "note-1"}

    first, again = [await desk.ask("PUT", "/kv/notes/x", json={"value": 1}, headers=key) for _ in range(2)]

    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.json(), again.headers["etag"]) == (first.json(), first.headers["etag"])
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.req("OR-51")
async def test_what_agents_steer_by_is_not_written_by_hand(desk: Desk) -> None:
    await stocked(desk.database)
    (cursor, *_) = (await desk.get("/kv", prefix="harvest/"))["items"]
    seen, hashed = {"if-match": "*"}, Key.of(ACME, "harvest", *["long" * 16] * 4)

    answers = [
        await desk.ask("PUT", f"/kv/{cursor['path']}", json={"value": {"cursor_token": "0"}}, headers=seen),
        await desk.ask("DELETE", f"/kv/{cursor['path']}", headers=seen),
        await desk.ask("PUT", "/kv/schedule/shop/annotation", json={"value": {"paused": True}}, headers=NEW),
        await desk.ask("PUT", "/kv/directive/shop/live/cursor", json={"value": 1}, headers=NEW),
        await desk.ask("PUT", f"/kv/{hashed.path}", json={"value": 1}, headers=NEW),
    ]
    as_cursor = await desk.ask("PUT", "/kv/notes/x", json={"value": 1, "purpose": "cursor"}, headers=NEW)

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(400, "INVALID_KEY")] * 5
    assert as_cursor.status_code == 422
    assert (await desk.get(f"/kv/{cursor['path']}")) == cursor


async def test_a_checkpoint_that_lies_elsewhere_is_neither_shown_nor_written(desk: Desk) -> None:
    async with desk.database.tenant("acme") as tx:
        await kv.put(
            tx,
            Key(ACME, "agents/mine/place"),
            {"token": "marigold"},
            expected_version=0,
            request_id="1",
            semantics=kv.Semantics(kv.Purpose.CHECKPOINT, "mine"),
            writer=kv.Writer("mine", "place"),
        )

    shown = await desk.get("/kv/agents/mine/place")
    answers = [
        await desk.ask("PUT", "/kv/agents/mine/place", json={"value": 1}, headers={"if-match": "*"}),
        await desk.ask("DELETE", "/kv/agents/mine/place", headers={"if-match": "*"}),
    ]

    assert shown["value"].startswith("fp:")
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(422, "INVALID_VALUE")] * 2


async def test_what_could_be_no_key_is_refused(desk: Desk) -> None:
    answers = [
        await desk.ask("PUT", f"/kv/{path}", json={"value": 1}, headers=NEW) for path in ("a//b", "UPPER", "a/%2e%2e/b")
    ]

    assert [answer.status_code for answer in answers] == [400, 422, 400]
