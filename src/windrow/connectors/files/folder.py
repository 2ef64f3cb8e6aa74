"""Where a walk is: the directories it is in, and the name it looks at."""

import os
from dataclasses import dataclass, field
from typing import Self

from windrow.connectors.files.place import Parts
from windrow.connectors.files.tree import Spot, names_in


@dataclass(frozen=True, slots=True)
class Entry:
    """One name: its place in the file system, and its path in the tree. `listed` says that an earlier page had it.

    After a link was followed, `spot` and `real` are where it led to, and `target` is what it said.
    """

    spot: Spot
    real: bytes
    path: bytes
    parts: tuple[str, ...]
    wanted: bool
    linked: bool
    listed: bool = False
    behind: Parts = ()
    target: str | None = None


@dataclass(slots=True)
class Folder:
    """An open directory. `names` is what is left of it, the next one last; `behind` is where in it to resume.

    `wanted` says that it is asked for with all that is inside, `linked` that it was entered through a link.
    """

    descriptor: int
    real: bytes
    path: bytes
    parts: tuple[str, ...]
    wanted: bool
    linked: bool
    behind: Parts
    identity: tuple[int, int] = field(init=False)
    names: list[bytes] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        status = os.fstat(self.descriptor)
        self.identity = (status.st_dev, status.st_ino)

    @classmethod
    def top(cls, descriptor: int, real: bytes, *, wanted: bool, behind: Parts) -> Self:
        """The directory where a walk begins."""
        return cls(descriptor, real, b"", (), wanted, linked=False, behind=behind)

    @classmethod
    def below(cls, entry: Entry, *, wanted: bool) -> Self:
        """The directory that an entry is."""
        descriptor = entry.spot.open_folder()
        return cls(descriptor, entry.real, entry.path, entry.parts, wanted, entry.linked, entry.behind)

    def read(self) -> bool:
        """Read the names, but for those before the place to resume at. Whether there are any at all."""
        names = names_in(self.descriptor)
        self.names = [name for name in names if name >= self.behind[0]] if self.behind else names
        return bool(names)

    def next(self) -> Entry:
        """The next name."""
        name = self.names.pop()
        listed = bool(self.behind) and self.behind[0] == name
        return Entry(
            spot=Spot(self.descriptor, name),
            real=self.real.rstrip(b"/") + b"/" + name,
            path=self.path + b"/" + name if self.path else name,
            parts=(*self.parts, name.decode("utf-8", "surrogateescape")),
            wanted=self.wanted,
            linked=self.linked,
            listed=listed,
            behind=self.behind[1:] if listed else (),
        )

    def close(self) -> None:
        """Give the directory back."""
        os.close(self.descriptor)
