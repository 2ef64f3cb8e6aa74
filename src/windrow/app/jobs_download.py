"""What a job has made, as a file."""

import hashlib
import os
from pathlib import Path
from tempfile import mkstemp

from windrow.app.client import check_absent
from windrow.contracts.errors import Code, Conflict, Fatal, ValidationFailure, classify
from windrow.jobs.job import Job
from windrow.objects import ObjectStore
from windrow.objects.threads import in_thread


async def download(store: ObjectStore, job: Job, path: Path) -> int:
    """Write the artifact that the job's row names to a file that is there only when it is whole; its size in bytes."""
    if job.artifact is None:
        raise ValidationFailure(
            f"job {job.job_id} has made nothing that could be downloaded: it is {job.status}",
            code=Code.NOT_FOUND,
            hint=f"`windrow jobs show {job.job_id}` tells more",
        )
    check_absent(path)
    try:
        return await _written(store, job.artifact["key"], job.artifact["sha256"], path)
    except FileExistsError:
        raise Conflict(f"{path} is there already", code=Code.ALREADY_EXISTS, hint="choose another name") from None
    except OSError as error:
        raise classify(error) from error


async def _written(store: ObjectStore, key: str, sha256: str, path: Path) -> int:
    descriptor, aside = mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        digest, size = hashlib.sha256(), 0
        with os.fdopen(descriptor, "wb") as file:
            async with store.open_reader(key) as reader:
                async for chunk in reader:
                    digest.update(chunk)
                    size += await in_thread(file.write, chunk)
        if digest.hexdigest() != sha256:
            raise Fatal(
                f"the object {key!r} does not have the bytes that the job named",
                code=Code.CORRUPTED,
                hint="check the object store; a new job makes it again",
            )
        _put_in_place(aside, path)
        return size
    finally:
        os.unlink(aside)  # noqa: PTH108 - a name, as mkstemp gives it


def _put_in_place(aside: str, path: Path) -> None:
    # readable as any new file of this user: mkstemp keeps it for the owner alone
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(aside, 0o666 & ~mask)  # noqa: PTH101
    os.link(aside, path)  # fails where something is
