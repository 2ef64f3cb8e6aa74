"""Where symbolic links lead, as far as the operator allows."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from windrow.connectors.files.tree import Spot, spot_of
from windrow.connectors.permits import Permits
from windrow.contracts.errors import WindrowError


@dataclass(frozen=True, slots=True)
class Followed:
    """The end of a link: its real path, open at the directory it is in, and what is there."""

    real: bytes
    spot: Spot
    status: os.stat_result


class Links:
    """Follows the links of one tree. A directory inside the tree is not a second time entered: it has its own place."""

    def __init__(self, permits: Permits, top: Path) -> None:
        self._permits, self._top = permits, top

    @contextmanager
    def followed(self, link: bytes) -> Iterator[Followed | str | None]:
        """What a link leads to. A text says why it may not be followed; None, that there is nothing to follow."""
        with ExitStack() as opened:
            try:
                real = os.path.realpath(link, strict=True)
                self._permits.path(os.fsdecode(real))
                # decided first, then walked without following anything: swapped in between, it is refused
                spot = opened.enter_context(spot_of(real))
                status = spot.status()
            except WindrowError:
                yield "it leads out of what may be read"
                return
            except (OSError, RuntimeError):
                yield None
                return
            at_home = Path(os.fsdecode(real)).is_relative_to(self._top)
            # a link now is one that was put there since
            refused = stat.S_ISLNK(status.st_mode) or (at_home and stat.S_ISDIR(status.st_mode))
            yield None if refused else Followed(real, spot, status)
