"""What GitHub tells by webhook is in the catalog at once, as the harvest would have brought it (HV-80)."""

import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.fakes.github import GitHub
from tests.fakes.github.deliveries import SECRET, delivery
from tests.fakes.github.state import Issue, Repository
from tests.fakes.github.wire import issue as written
from tests.fakes.github.wire import label as label_written
from tests.integration.connectors.github.switchboard import RUNS, Switchboard, switchboard

from windrow.postgres import Database

pytestmark = pytest.mark.req("HV-80")


@pytest.fixture
async def board(hub: GitHub, database: Database, tmp_path: Path) -> AsyncIterator[Switchboard]:
    async with switchboard(hub, database, tmp_path, {}) as made:
        yield made


def opened(hub: GitHub, action: str = "opened") -> tuple[Repository, Issue, dict[str, object]]:
    """A repository with an issue, and what GitHub says of it."""
    of = hub.account.add("tools")
    made = hub.account.issue(of, "It rattles")
    return of, made, {"action": action, "issue": written(hub.account, of, made)}


async def test_an_issue_is_in_the_catalog_as_the_harvest_would_have_brought_it(board: Switchboard) -> None:
    of, _, said = opened(board.hub)

    answer = await board.send(delivery("issues", board.hub.account, of, said))
    assert (answer.status_code, answer.json()["references"]) == (202, 1)
    assert await board.listener.step()

    (told,) = (await board.held()).values()
    await board.harvest()
    harvested = (await board.held())[told["external_id"]]
    assert (told["display_name"], told["entity_type"], told["revision"]) == ("It rattles", "issue", 1)
    assert (told["content_hash"], told["revision"]) == (harvested["content_hash"], harvested["revision"])


async def test_a_late_delivery_does_not_bring_back_what_was_then(board: Switchboard) -> None:
    of, made, said = opened(board.hub)
    late = delivery("issues", board.hub.account, of, said)
    board.hub.account.tick(60)
    made.title, made.updated = "It rattles no more", board.hub.account.now
    await board.harvest()

    await board.send(late)
    await board.listener.step()

    titles = [row["display_name"] for row in (await board.held()).values() if row["entity_type"] == "issue"]
    assert titles == ["It rattles no more"]


async def test_a_delivery_that_comes_again_does_nothing(board: Switchboard) -> None:
    of, _, said = opened(board.hub)
    same = delivery("issues", board.hub.account, of, said, number="72d3162e-cc78-11e3-81ab-4c9367dc0958")

    answers = [await board.send(same) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 200, 200]
    assert await board.listener.step()
    assert not await board.listener.step()
    async with board.database.tenant("acme") as tx:
        assert await tx.value(RUNS) == 1


async def test_what_was_deleted_is_gone_when_github_says_so_and_the_api_agrees(board: Switchboard) -> None:
    of, made, said = opened(board.hub, "deleted")
    still_there = board.hub.account.label(of, "urgent")
    await board.harvest()
    del of.issues[made.number]

    await board.send(delivery("issues", board.hub.account, of, said))
    lie = {"action": "deleted", "label": label_written(still_there)}
    await board.send(delivery("label", board.hub.account, of, lie))
    await board.listener.step()

    assert sorted(row["entity_type"] for row in (await board.held()).values()) == ["label", "repository"]


async def test_a_repository_that_is_hidden_from_us_takes_nothing_with_it(board: Switchboard) -> None:
    of, _, said = opened(board.hub, "deleted")
    await board.harvest()
    board.hub.account.delete(of)

    await board.send(delivery("issues", board.hub.account, of, said))
    await board.listener.step()

    assert sorted(row["entity_type"] for row in (await board.held()).values()) == ["issue", "repository"]


async def test_a_push_brings_its_commits(board: Switchboard) -> None:
    of = board.hub.account.add("tools")
    commits = [board.hub.account.commit(of, f"step {number}") for number in range(3)]
    said = {"ref": "refs/heads/main", "commits": [{"id": each.sha} for each in commits]}

    await board.send(delivery("push", board.hub.account, of, said))
    await board.listener.step()

    assert sorted(row["display_name"] for row in (await board.held()).values()) == [
        "acme/tools",
        "step 0",
        "step 1",
        "step 2",
    ]


async def test_what_is_not_harvested_is_not_looked_up(hub: GitHub, database: Database, tmp_path: Path) -> None:
    async with switchboard(hub, database, tmp_path, {}, repositories=["others"], entities=["issue"]) as board:
        of, _, said = opened(hub)
        pushed = {"ref": "refs/heads/main", "commits": []}

        excluded = await board.send(delivery("issues", hub.account, of, said))
        unwanted = await board.send(delivery("push", hub.account, of, pushed))
        await board.listener.step()

        assert (excluded.status_code, unwanted.status_code) == (202, 200)
        assert await board.held() == {}


async def test_only_what_is_signed_is_believed(board: Switchboard, said: Said) -> None:
    of, _, told = opened(board.hub)
    headers, body = delivery("issues", board.hub.account, of, told)
    sha1 = hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()
    forged = {
        "another secret": delivery("issues", board.hub.account, of, told, secret="guessed"),
        "another body": (headers, body.replace(b"rattles", b"explodes")),
        "no signature": ({name: text for name, text in headers.items() if "signature" not in name}, body),
        "the old kind": (headers | {"x-hub-signature-256": f"sha1={sha1}"}, body),
        "a long one": (headers | {"x-hub-signature-256": "sha256=" + "0" * 5000}, body),
    }

    answers = {name: (await board.send(each)).status_code for name, each in forged.items()}
    elsewhere = [
        await board.send((headers, body), path)
        for path in ("/v1/webhooks/acme/main/nobody", "/v1/webhooks/other/main/code", "/v1/webhooks/A%00/b/c")
    ]

    assert answers == dict.fromkeys(forged, 401)
    assert {(each.status_code, each.json()["code"]) for each in elsewhere} == {(401, "UNAUTHORIZED")}
    assert await board.waiting() == 0
    assert SECRET not in "".join(said.raw)


async def test_what_github_would_not_send_is_refused_and_nothing_is_kept(board: Switchboard) -> None:
    def signed(body: bytes, event: str = "issues") -> tuple[dict[str, str], bytes]:
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        return {
            "x-github-event": event,
            "x-github-delivery": "1",
            "x-hub-signature-256": f"sha256={signature}",
        }, body

    bad = [b"", b"[]", b"\xff\xfe", b"{", b"[" * 10_000, b'{"repository": {"id": "x"}}', b'{"repository": {"id": 1}}']

    answers = [(await board.send(signed(body))).status_code for body in bad]
    nothing = [
        (await board.send(signed(b"{}", event))).status_code for event in ("ping", "star", "issues", "x" * 500, "")
    ]

    assert set(answers) <= {400, 422}
    assert set(nothing) == {200}
    assert await board.waiting() == 0


async def test_a_source_that_cannot_be_asked_is_asked_later(board: Switchboard, said: Said) -> None:
    of, _, told = opened(board.hub)
    await board.send(delivery("issues", board.hub.account, of, told))
    board.hub.tokens.clear()  # revoked

    assert not await board.listener.step()
    assert not await board.listener.step()

    (later,) = said.events("tidings.postponed")
    assert (later["error_class"], later["code"], await board.waiting()) == ("Fatal", "UNAUTHORIZED", 1)
    board.hub.tokens |= GitHub().tokens
    board.listener.clock = lambda: float("inf")
    assert await board.listener.step()
    assert (len(await board.held()), await board.waiting()) == (1, 0)
