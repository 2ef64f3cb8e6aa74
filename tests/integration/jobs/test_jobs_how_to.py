"""The how-to's example is run as it stands."""

import re
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel
from tests.integration.jobs.workshop import SCOPE, ended, working

from windrow import jobs
from windrow.jobs import Kind, Kinds, Running, Status
from windrow.postgres import Database

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-job-kind.md"


async def test_the_example_of_the_how_to_runs(database: Database, tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    named = {"BaseModel": BaseModel, "Running": Running, "Kind": Kind, "kinds": Kinds(), "timedelta": timedelta}
    exec(example, named)
    (kind,) = named["kinds"]

    async with working(database, tmp_path, kind):
        async with database.tenant(SCOPE.tenant_id) as tx:
            made = await jobs.enqueue(tx, SCOPE, "greet", named["Greeting"](name="Ada"))
        job = await ended(database, made.job_id)

    assert (job.status, job.progress) == (Status.DONE, 100.0)
