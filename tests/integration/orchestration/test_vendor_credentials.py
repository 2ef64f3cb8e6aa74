"""A vendor's credential that is revoked in the middle of a run: one endpoint halts, one notice goes out, no secret does."""

import asyncio
import base64
import json
import random
import traceback
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from prometheus_client import generate_latest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.service import RPCError
from tests.conftest import Said, Spans
from tests.integration.harvest.shop import Shop, rows
from tests.integration.orchestration import keyholders
from tests.integration.orchestration.keyholders import Keyholder
from tests.integration.orchestration.stage import QUEUES, Stage, chain, children
from tests.integration.test_canary import everything_stored

from windrow import endpoints
from windrow.app.orchestrating import HARVESTERS, Temporal, working
from windrow.app.outside import outside
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.harvest.subscriber import Subscriber
from windrow.orchestration import controls, scheduling
from windrow.postgres import Database
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

SCOPE = Scope("acme", "main")
ADA = Actor("ada", "operator")


@dataclass
class Ward:
    """Two accounts of a vendor, an endpoint for each, and workers as `windrow worker` wires them."""

    sick: Keyholder
    well: Keyholder
    environment: dict[str, str]
    stages: dict[str, Stage] = field(default_factory=dict)
    begun: list[tuple[str, WorkflowHandle[Any, Any]]] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)

    async def begin(self, name: str = "sick") -> WorkflowHandle[Any, Any]:
        """As the schedule does."""
        handle = await self.stages[name].start()
        self.begun.append((name, handle))
        return handle

    async def fails(self) -> None:
        """The schedule's turn, which comes to nothing."""
        handle = await self.begin()
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()
        self.raised += traceback.format_exception(failed.value)

    async def resume(self) -> None:
        """Somebody says that it is mended."""
        stage = self.stages["sick"]
        await scheduling.resume(stage.database, SCOPE, stage.endpoint.endpoint_id, ADA, "looked at it")

    async def leave(self) -> None:
        """What is still under way ends here, and not among the workers of the next play."""
        self.well.answers.set()
        for name, handle in self.begun:
            for workflow_id in (handle.id, self.stages[name].collection_id):
                with suppress(RPCError):  # it has ended
                    await self.stages[name].client.get_workflow_handle(workflow_id).terminate()

    async def halted(self, name: str = "sick") -> str | None:
        stage = self.stages[name]
        async with stage.database.tenant(SCOPE.tenant_id) as tx:
            return (await controls.find(tx, SCOPE, stage.endpoint.endpoint_id)).halted_code

    async def held(self, name: str) -> set[str]:
        """What the catalog has of an endpoint."""
        stage = self.stages[name]
        found = await rows(stage.database, "SELECT endpoint_id, external_id FROM items WHERE NOT deleted")
        return {row["external_id"] for row in found if row["endpoint_id"] == stage.endpoint.endpoint_id}

    async def histories(self) -> list[bytes]:
        """All that Temporal keeps of every workflow there was, with its payloads as they are."""
        kept: list[bytes] = []
        for name, handle in self.begun:
            stage = self.stages[name]
            runs = [(stage.collection_id, run) for run in await children(handle)]
            for workflow_id, first in [(handle.id, handle.first_execution_run_id), *runs]:
                for run_id in await chain(stage.client, workflow_id, first):
                    one = stage.client.get_workflow_handle(workflow_id, run_id=run_id)
                    kept += [event.SerializeToString() async for event in one.fetch_history_events()]
                    kept.append((await one.describe()).raw_description.SerializeToString())
        return kept


@asynccontextmanager
async def ward(made: Callable[[], Keyholder], database: Database, client: Client, place: Path) -> AsyncIterator[Ward]:
    with ExitStack() as open_:
        sick, well = made(), made()
        for one in (sick, well):
            open_.enter_context(one.source.vendor)
            open_.callback(one.answers.set)
        opened = Ward(sick, well, {"WINDROW_SECRET_SICK": sick.credential, "WINDROW_SECRET_WELL": well.credential})
        settings = Settings(
            home=place,
            addresses_allowed=(sick.source.vendor.door, well.source.vendor.door),
            credentials_allowed=("env:WINDROW_SECRET_*",),
        )
        async with outside(settings, opened.environment) as beyond:
            subscriber = Subscriber(database, Wakeups(database.url))
            workers = working(settings, database, beyond, subscriber, Temporal({HARVESTERS: client}), QUEUES)
            task = asyncio.create_task(workers.run())
            await workers.ready.wait()
            for name, holder in (("sick", sick), ("well", well)):
                endpoint = await admitted(database, name, holder)
                opened.stages[name] = Stage(database, client, Shop(), endpoint, workers, task)
            try:
                yield opened
                for stage in opened.stages.values():
                    await stage.check_steps()
            finally:
                await opened.leave()
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


async def admitted(database: Database, name: str, holder: Keyholder) -> Endpoint:
    endpoint = Endpoint(
        scope=SCOPE,
        # Temporal remembers those of other tests
        endpoint_id=f"{name}-{random.randbytes(4).hex()}",
        connector=holder.source.connector,
        config=holder.source.config | holder.config,
        credential_ref=f"env:WINDROW_SECRET_{name.upper()}",
    )
    async with database.tenant(SCOPE.tenant_id) as tx:
        return await endpoints.add(tx, endpoint, ADA)


def forms(secret: str) -> set[bytes]:
    """The secret as it would stand in something: as it is, escaped, quoted, within base64; line by line if it has several."""
    lines = {line for line in secret.splitlines() if len(line) >= 32 and "-----" not in line} or {secret}
    return {
        form
        for each in lines
        for form in (
            each.encode(),
            json.dumps(each)[1:-1].encode(),
            quote(each, safe="").encode(),
            *(within(each.encode(), before, alphabet) for before in range(3) for alphabet in (b"+/", b"-_")),
        )
    }


def within(secret: bytes, before: int, alphabet: bytes) -> bytes:
    """What of base64 depends on the secret alone, if so many bytes (modulo three) stand before it."""
    coded = base64.b64encode(b"\0" * before + secret, altchars=alphabet)
    whole = (before + len(secret)) // 3 * 4
    return coded[[0, 2, 3][before] : whole]


def leaks(places: dict[str, Iterable[bytes | str]], secrets: Iterable[str]) -> set[tuple[str, str]]:
    """Where a secret stands, and the beginning of it."""
    sought = [(secret, form) for secret in secrets for form in forms(secret)]
    found: set[tuple[str, str]] = set()
    for place, texts in places.items():
        whole = b"\n".join(text.encode() if isinstance(text, str) else text for text in texts)
        assert whole, place
        found |= {(place, secret[:20]) for secret, form in sought if form in whole}
    return found


VENDORS = {
    "github token": keyholders.github_token,
    "github app": keyholders.github_app,
    "confluence": keyholders.confluence,
    "onedrive": keyholders.onedrive,
    "onedrive as a user": keyholders.onedrive_as_user,
}


@pytest.mark.req("HV-3", "HV-62", "OR-31")
@pytest.mark.parametrize("vendor", VENDORS)
async def test_a_credential_that_is_revoked_in_the_middle_halts_one_endpoint_is_told_once_and_shown_nowhere(
    vendor: str, database: Database, skipping: Client, tmp_path: Path, said: Said, spans: Spans
) -> None:
    async with ward(VENDORS[vendor], database, skipping, tmp_path) as play:
        play.sick.ends_at = play.sick.middle
        play.well.answers.clear()
        neighbour = await play.begin("well")
        await play.fails()
        assert await play.halted() == "UNAUTHORIZED"
        await play.fails()
        assert await play.stages["sick"].run_states() == [("failed", "UNAUTHORIZED")], "the schedule does not begin one"
        await play.resume()
        await play.fails()
        assert await play.halted() == "UNAUTHORIZED", "nothing was mended"
        assert await told(database) == ["notify.security"]
        (first, _) = await rows(database, "SELECT pages FROM harvest_runs WHERE outcome = 'failed' ORDER BY begun_at")
        assert first["pages"] > 0, "it was in the middle"

        play.well.answers.set()
        assert (await neighbour.result())["state"] == "Completed"
        assert await play.halted("well") is None
        play.environment["WINDROW_SECRET_SICK"] = play.sick.renew()
        await play.resume()
        assert (await (await play.begin()).result())["state"] == "Completed"

        assert await play.halted() is None
        assert await told(database) == ["notify.security"]
        for name, holder in (("sick", play.sick), ("well", play.well)):
            assert await play.held(name) == set(holder.source.truth())
        places: dict[str, Iterable[bytes | str]] = {
            "logs": said.raw,
            "errors": play.raised,
            "histories": await play.histories(),
            "rows": [everything_stored(database.url, SCOPE.tenant_id)],
            "spans": [span.to_json() for span in spans.all()],
            "metrics": [generate_latest()],
            "files": files_below(tmp_path),
        }
        assert leaks(places, play.sick.secrets() | play.well.secrets()) == set()


def files_below(place: Path) -> list[bytes]:
    """Names and contents of all that was left there."""
    found = sorted(place.rglob("*"))
    return [str(found).encode(), *(path.read_bytes() for path in found if path.is_file())]


async def told(database: Database) -> list[str]:
    """The channels that were told, in order."""
    found = await rows(database, "SELECT topic FROM messages WHERE topic ^@ 'notify.' ORDER BY published_at")
    return [row["topic"] for row in found]


@pytest.mark.parametrize("secret", ["ghp_fake0123456789abcdef", 'tüken/+ of "ada"', "-----A-----\n" + "k/+" * 20])
@pytest.mark.parametrize("before", range(4))
def test_the_search_finds_a_secret_however_it_is_wrapped(secret: str, before: int) -> None:
    text = "x" * before + secret + "yz"
    for wrapped in (
        text.encode(),
        json.dumps({"reason": text}).encode(),
        quote(text, safe="").encode(),
        b"Basic " + base64.b64encode(text.encode()),
        base64.urlsafe_b64encode(text.encode()).rstrip(b"="),
    ):
        assert leaks({"here": [b"before", wrapped]}, [secret]) == {("here", secret[:20])}, wrapped
