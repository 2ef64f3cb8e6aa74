"""The `git` of this machine: where it is, and whether it is new enough."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from windrow.contracts.errors import Code, Fatal

# settings by environment came with 2.31 and 2.32, names pinned to addresses with 2.37
OLDEST = (2, 32)
OLDEST_REMOTE = (2, 37)

_VERSION = re.compile(rb"git version (\d{1,4})\.(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Version:
    """What `git version` says."""

    major: int
    minor: int

    @classmethod
    def parse(cls, said: bytes) -> "Version":
        found = _VERSION.match(said)
        if not found:
            raise Fatal(
                "`git version` says something else than a version",
                code=Code.CONFIGURATION,
                hint="install git 2.37 or later",
            )
        return cls(int(found[1]), int(found[2]))

    def need(self, oldest: tuple[int, int]) -> None:
        """Refuse a git that lacks what keeps a stranger's repository harmless."""
        if (self.major, self.minor) < oldest:
            raise Fatal(
                f"git {self} is too old; {oldest[0]}.{oldest[1]} is needed",
                code=Code.CONFIGURATION,
                hint="install a newer git on the workers",
            )

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def find(name: str = "git") -> Path:
    """Where the executable is, by the path of this process."""
    found = shutil.which(name)
    if found is None:
        raise Fatal(
            "git is not installed on this machine", code=Code.CONFIGURATION, hint="install git (apt install git)"
        )
    return Path(found)
