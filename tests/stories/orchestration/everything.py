"""`windrow up` as it is stopped and started again, and what its Temporal has."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from temporalio.client import Client, ScheduleActionExecutionStartWorkflow
from tests.stories.conftest import Up, machine_in
from tests.stories.orchestration.deployment import Deployment, deployed

NAMESPACE = "dev.harvesters"


class Everything:
    """A machine on which everything runs."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self._running = ExitStack()
        self._up: Up

    def start(self) -> None:
        self._up = self._running.enter_context(self.deployment.machine.up())

    def stop(self) -> None:
        self._running.close()

    def kill(self) -> None:
        """kill -9; the engines go with it."""
        self._up.kill()
        self.stop()

    def until_scheduled(self, **paused: bool) -> dict[str, bool]:
        """Wait until Temporal tells of these endpoints' schedules, and that they are paused or not; of all that there are.

        It tells of a change a moment after it was made.
        """
        return asyncio.run(self._until_scheduled(paused))

    def fire(self, name: str) -> None:
        """Temporal's own word that it is time."""
        asyncio.run(self._fire(name))

    def fired(self, name: str) -> dict[str, Any]:
        """What the run came to that the schedule began."""
        return asyncio.run(self._fired(name))

    async def _temporal(self) -> Client:
        return await Client.connect(self._up.addresses["temporal"], namespace=NAMESPACE)

    async def _until_scheduled(self, paused: dict[str, bool]) -> dict[str, bool]:
        client = await self._temporal()
        while True:
            found = [entry async for entry in await client.list_schedules()]
            there = {entry.id.rpartition("/")[2]: entry.schedule.state.paused for entry in found if entry.schedule}
            if paused.items() <= there.items():
                return there
            await asyncio.sleep(0.05)

    async def _fire(self, name: str) -> None:
        await (await self._temporal()).get_schedule_handle(_schedule(name)).trigger()

    async def _fired(self, name: str) -> dict[str, Any]:
        client = await self._temporal()
        schedule = client.get_schedule_handle(_schedule(name))
        # what it has begun runs before it says so itself
        while not (actions := (await schedule.describe()).info.recent_actions):  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.05)
        action = actions[-1].action
        assert isinstance(action, ScheduleActionExecutionStartWorkflow)
        done: dict[str, Any] = await client.get_workflow_handle(action.workflow_id).result()
        return done


@contextmanager
def everything() -> Iterator[Everything]:
    """Started; stopped at the end."""
    with machine_in("windrow-story-") as machine, deployed(machine) as made:
        all_of_it = Everything(made)
        all_of_it.start()
        try:
            yield all_of_it
        finally:
            all_of_it.stop()


def _schedule(name: str) -> str:
    return f"sync/local/default/{name}"
