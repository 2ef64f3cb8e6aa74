"""`windrow jobs download`: what a job has made, as a file."""

from pathlib import Path
from typing import Annotated

import typer

from windrow.cli import show
from windrow.cli.frame import Json, Tenant, command
from windrow.cli.sync import size
from windrow.settings import read


@command
async def download(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")],
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; nothing may be there yet.")],
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Write what a job has made to a file: for a clip, the video. Its hash is compared with the one that the job has named."""
    from windrow.app.belonging import paired
    from windrow.app.compose import opened
    from windrow.app.jobs_download import download as downloaded
    from windrow.app.outside import objects
    from windrow.jobs import reading

    settings = read()
    within = tenant or settings.tenant
    store = objects(settings)
    async with opened(settings) as app:
        async with app.database.tenant(within) as tx:
            job = await reading.find(tx, job_id)
        if job is None:
            raise reading.not_found(job_id)
        (await paired(settings, app.database, store)).must_match()
    written = await downloaded(store.for_tenant(within), job, path)
    told = {"job": job_id, "file": str(path)}
    if json:
        show.document(told | {"size": written})
    else:
        show.pairs(told | {"size": size(written)})
