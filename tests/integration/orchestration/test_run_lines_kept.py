"""The lines of a run on Temporal: from its beginning to its end, whichever activity said them."""

from temporalio.client import Client
from tests.integration.orchestration.stage import staged
from tests.integration.orchestration.test_run_logs import STEPS, shelf

from windrow.app.scribing import written_down
from windrow.harvest import lines
from windrow.postgres import Database


async def test_every_step_of_a_run_on_temporal_is_in_its_log(database: Database, client: Client) -> None:
    async with written_down(database), staged(database, client, shelf()) as stage:
        done = await (await stage.start()).result()

    async with database.tenant("acme") as tx:
        kept = [line.event for line in await lines.lines(tx, done["run_id"])]
    assert [event for event in dict.fromkeys(kept) if event in STEPS] == list(STEPS)
    assert "sync.state_changed" in kept
