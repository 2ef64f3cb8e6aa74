"""What executions make, as the model of the jobs knows it, beside the real store that they put it into.

An execution follows the protocol, and may be stopped for ever so long between any two of these steps: it looks at what an
earlier one has named; makes its own if that is not whole; names it; publishes what it has named or found; tidies up.
"""

import hashlib
from pathlib import Path

from windrow.clips import publishing
from windrow.contracts.errors import WindrowError
from windrow.jobs import Artifact
from windrow.jobs.execution import Execution
from windrow.objects import ObjectStore

Key = tuple[str, int]


class Shelf:
    """`kept` is what must lie in the store, by key; `named` what a row has named, in order; `damaged` what a disk forgot.

    `touched` are the jobs of which somebody has done something since it was last looked at.
    """

    def __init__(self, store: ObjectStore, scratch: Path) -> None:
        self._store, self._clip = store, scratch / "clip.mp4"
        self.kept: dict[str, bytes] = {}
        self.named: dict[str, list[Artifact]] = {}
        self.touched: set[str] = set()
        self.damaged: set[tuple[str, str]] = set()
        self._publishable: dict[Key, Artifact] = {}
        self._published: dict[Key, Artifact] = {}

    async def make(self, execution: Execution) -> Artifact | None:
        """What it has to name; None if an earlier one's is whole."""
        self.touched.add(execution.job_id)
        earlier = execution.earlier
        if earlier is not None:
            is_whole = await publishing.holds(self._store, earlier)
            assert is_whole == self.is_whole(earlier)
            if is_whole:
                self._publishable[_key(execution)] = earlier
                return None
        made = f"the clip of {execution.job_id}, by {execution.epoch}".encode()
        artifact = artifact_of(publishing.attempt_key(execution.job_id, execution.epoch), made)
        self._clip.write_bytes(made)
        assert await publishing.put(self._store, artifact.key, self._clip) == publishing.Measured(
            artifact.size, artifact.sha256
        )
        self.kept[artifact.key] = made
        return artifact

    def name(self, execution: Execution, artifact: Artifact, *, stopped: bool) -> None:
        """The row names it. Its handler goes on, unless it was told to stop."""
        self.named.setdefault(execution.job_id, []).append(artifact)
        if not stopped:
            self._publishable[_key(execution)] = artifact

    async def publish(self, execution: Execution) -> None:
        """What it has named or found, if it has come so far; refused if that is not whole any more."""
        self.touched.add(execution.job_id)
        artifact = self._publishable.get(_key(execution))
        if artifact is None:
            return
        try:
            await publishing.publish(self._store, execution.job_id, artifact)
        except WindrowError:
            assert not self.is_whole(artifact)
            return
        assert self.is_whole(artifact)
        job_id = execution.job_id
        self.kept[publishing.result_key(job_id)] = self.kept[artifact.key]
        self.kept[publishing.manifest_key(job_id)] = publishing.manifest(job_id, artifact)
        self._published[_key(execution)] = artifact

    async def tidy(self, execution: Execution) -> None:
        """What earlier ones have left, if it has published something."""
        self.touched.add(execution.job_id)
        artifact = self._published.get(_key(execution))
        if artifact is None:
            return
        await publishing.tidy(self._store, execution.job_id, execution.epoch, artifact.key)
        earlier = {f"results/{execution.job_id}/attempts/{epoch}/clip.mp4" for epoch in range(execution.epoch)}
        self.kept = {key: made for key, made in self.kept.items() if key not in earlier - {artifact.key}}

    async def damage(self, artifact: Artifact) -> None:
        """A disk forgets, and what is there afterwards looks the same from outside."""
        if artifact.key in self.kept:
            self.damaged.add(_named(artifact))
            self.kept[artifact.key] = b"x" * artifact.size
            await self._store.put(artifact.key, self.kept[artifact.key])

    def is_whole(self, artifact: Artifact) -> bool:
        return artifact.key in self.kept and artifact_of(artifact.key, self.kept[artifact.key]) == artifact

    async def wrongs(self) -> list[str]:
        """All that is not as it must be, of the jobs that were touched."""
        found = [wrong for job_id in self.touched for wrong in await self._wrongs(job_id)]
        self.touched.clear()
        return found

    async def _wrongs(self, job_id: str) -> list[str]:
        """What is not in the store as it must be; besides, whoever put it there: what the row names without its bytes, and
        a clip that no row has ever named.
        """
        found = {one.key: await self._store.get(one.key) async for one in self._store.list(f"results/{job_id}")}
        due = {key: made for key, made in self.kept.items() if key.startswith(f"results/{job_id}/")}
        wrongs = [key for key in sorted(found.keys() | due.keys()) if found.get(key) != due.get(key)]
        named = self.named.get(job_id, [])
        if named and not self.is_whole(named[-1]) and _named(named[-1]) not in self.damaged:
            wrongs.append("what the row names was overwritten or removed")
        clip = found.get(publishing.result_key(job_id))
        if clip is not None and hashlib.sha256(clip).hexdigest() not in {one.sha256 for one in named}:
            wrongs.append("a clip that no row has named")
        return wrongs


def artifact_of(key: str, made: bytes) -> Artifact:
    return Artifact(key, len(made), hashlib.sha256(made).hexdigest())


def _named(artifact: Artifact) -> tuple[str, str]:
    return artifact.key, artifact.sha256


def _key(execution: Execution) -> Key:
    return execution.job_id, execution.epoch
