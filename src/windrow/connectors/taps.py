"""Which programs an endpoint may run: the Singer taps that the operator has listed. An endpoint's author names a name."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from windrow.contracts.errors import Code, Fatal

MEMORY = 2 << 30
_HINT = "the operator lists taps in WINDROW_TAPS_ALLOWED: `NAME=/EXECUTABLE`, or `TENANT:NAME=/EXECUTABLE`"


@dataclass(frozen=True, slots=True)
class Taps:
    """The taps of one tenant, by name, and how much memory each of their processes may have."""

    executables: tuple[tuple[str, Path], ...] = ()
    memory: int = MEMORY

    @classmethod
    def for_tenant(cls, tenant_id: str, allowed: Iterable[str], *, memory: int = MEMORY) -> Self:
        """From the operator's list. A tap that is listed for the tenant goes before one of the name that is for all."""
        all_of_them, own = dict[str, Path](), dict[str, Path]()
        for entry in allowed:
            named, _, executable = entry.partition("=")
            tenant, for_one, name = named.rpartition(":")
            if not name or not Path(executable).is_absolute():
                raise Fatal(f"the allowed tap {entry!r} is not understood", code=Code.CONFIGURATION, hint=_HINT)
            if not for_one or tenant == tenant_id:
                (own if for_one else all_of_them)[name] = Path(executable)
        return cls(tuple((all_of_them | own).items()), memory)

    def find(self, name: str) -> Path:
        """The executable behind a name, if it is listed and can be run."""
        executable = dict(self.executables).get(name)
        if executable is None:
            raise Fatal(f"the tap {name!r} is not one that may be run here", code=Code.FORBIDDEN, hint=_HINT)
        if not (executable.is_file() and os.access(executable, os.X_OK)):
            raise Fatal(
                f"the tap {name} cannot be run: there is no executable {executable}",
                code=Code.CONFIGURATION,
                hint="install it on every worker, in the place that WINDROW_TAPS_ALLOWED names",
            )
        return executable


NO_TAPS = Taps()
