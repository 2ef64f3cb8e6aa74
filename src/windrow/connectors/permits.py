"""What an endpoint may reach on this machine: the operator's word, not the endpoint's author's.

An endpoint of `files` with the path `/etc` would otherwise read the operator's machine for anybody who may add one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from windrow.connectors.taps import NO_TAPS, Taps
from windrow.contracts.errors import Code, Fatal, ValidationFailure


@dataclass(frozen=True, slots=True)
class Permits:
    """The directories below which one tenant's endpoints may read, and the taps that they may run."""

    tenant_id: str
    roots: tuple[Path, ...] = ()
    taps: Taps = NO_TAPS

    @classmethod
    def for_tenant(cls, tenant_id: str, allowed: Iterable[str], *, taps: Taps = NO_TAPS) -> Self:
        """From the operator's list: `TENANT=DIRECTORY` for one tenant, `DIRECTORY` for all; `{tenant}` is its name."""
        roots: list[Path] = []
        for entry in allowed:
            tenant, has_tenant, directory = entry.partition("=")
            if has_tenant and tenant != tenant_id:
                continue
            roots.append(_root((directory if has_tenant else entry).replace("{tenant}", tenant_id)))
        return cls(tenant_id, tuple(roots), taps)

    def path(self, path: str | Path) -> Path:
        """The path with every link followed, if the tenant may read it."""
        try:
            wanted = Path(path).expanduser().resolve()
        # a link that leads to itself, a NUL, a home that nobody has
        except (RuntimeError, ValueError) as error:
            raise ValidationFailure(
                f"{str(path)!r} is no path: {error}", hint="give the path as `ls` takes it"
            ) from None
        if not any(wanted.is_relative_to(root) for root in self.roots):
            raise Fatal(
                f"tenant {self.tenant_id} may not read {str(path)!r}",
                code=Code.FORBIDDEN,
                hint="the operator allows directories in WINDROW_PATHS_ALLOWED: `TENANT=DIRECTORY`",
            )
        return wanted


def _root(directory: str) -> Path:
    # an empty or relative one would mean wherever the process happens to stand
    if not Path(directory).is_absolute():
        raise Fatal(
            f"the allowed directory {directory!r} is not absolute",
            code=Code.CONFIGURATION,
            hint="write TENANT=/DIRECTORY in WINDROW_PATHS_ALLOWED",
        )
    return Path(directory).resolve()
