"""Where clips lie, and how one comes to its place: whole, and with the bytes that the job's row names, or not at all.

    results/{job}/attempts/{epoch}/clip.mp4     what one try has made; nobody else writes there
    results/{job}/clip.mp4                      the clip: a copy of the attempt that the row names
    results/{job}/clip.json                     its manifest: size, hash, duration

Whoever finds a row that names an attempt may publish it, any number of times: the bytes are the same. A worker that lost
its lease has no attempt named, so it has nothing to publish.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.jobs.running import Artifact
from windrow.objects import ObjectStore
from windrow.objects.threads import in_thread

MEDIA_TYPE = "video/mp4"


def attempts(job_id: str) -> str:
    return f"results/{job_id}/attempts"


def attempt_key(job_id: str, epoch: int) -> str:
    return f"{attempts(job_id)}/{epoch}/clip.mp4"


def result_key(job_id: str) -> str:
    return f"results/{job_id}/clip.mp4"


def manifest_key(job_id: str) -> str:
    return f"results/{job_id}/clip.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """How much it is, and what its hash is."""

    size: int
    sha256: str


async def put(store: ObjectStore, key: str, path: Path) -> Measured:
    """Store a file, read it again from there, and say what it is."""
    await store.put_file(key, path, content_type=MEDIA_TYPE)
    given, kept = await in_thread(_of_file, path), await _of_object(store, key)
    if kept != given:
        raise damaged(key)
    return given


async def holds(store: ObjectStore, artifact: Artifact) -> bool:
    """Whether an artifact that the row names is still there with the bytes that it had."""
    try:
        return await _of_object(store, artifact.key) == Measured(artifact.size, artifact.sha256)
    except ValidationFailure:  # it is gone
        return False


async def publish(store: ObjectStore, job_id: str, artifact: Artifact) -> None:
    """Copy what the row names to its place, the manifest last: where there is one, there is a clip."""
    # not the store's own copy: an attempt that was damaged since must not replace a clip that is whole
    async with store.open_writer(result_key(job_id), content_type=MEDIA_TYPE) as writer:
        digest = hashlib.sha256()
        async with store.open_reader(artifact.key) as reader:
            async for chunk in reader:
                digest.update(chunk)
                await writer.write(chunk)
        if digest.hexdigest() != artifact.sha256:
            raise damaged(artifact.key)
    await store.put(manifest_key(job_id), manifest(job_id, artifact), content_type="application/json")


def manifest(job_id: str, artifact: Artifact) -> bytes:
    """What a reader needs to know whether the clip beside it is whole; the same for the same artifact."""
    told = {"clip": result_key(job_id), "size": artifact.size, "sha256": artifact.sha256, **artifact.details}
    return json.dumps(told, sort_keys=True).encode()


async def tidy(store: ObjectStore, job_id: str, epoch: int, kept: str) -> None:
    """Remove what earlier tries left. Later ones are left alone: whoever asks may have lost its lease by now."""
    prefix = attempts(job_id)
    for key in [listed.key async for listed in store.list(prefix)]:
        number = key.removeprefix(f"{prefix}/").partition("/")[0]
        if key != kept and number.isdecimal() and int(number) < epoch:
            await store.delete(key)


async def forget(store: ObjectStore, job_id: str) -> None:
    """Remove all that a job has left, the manifest first: where there is one, there is a clip."""
    await store.delete(manifest_key(job_id))
    for key in [listed.key async for listed in store.list(f"results/{job_id}")]:
        await store.delete(key)


def damaged(key: str) -> Fatal:
    return Fatal(
        f"the object {key!r} does not have the bytes that were written",
        code=Code.CORRUPTED,
        hint="check the object store, then retry the job",
    )


async def _of_object(store: ObjectStore, key: str) -> Measured:
    digest, size = hashlib.sha256(), 0
    async with store.open_reader(key) as reader:
        async for chunk in reader:
            digest.update(chunk)
            size += len(chunk)
    return Measured(size, digest.hexdigest())


def _of_file(path: Path) -> Measured:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Measured(path.stat().st_size, digest)
