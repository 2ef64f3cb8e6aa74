"""What an expression may name, and how much work it may be: a definition and a source, both hostile, still cost little."""

from collections.abc import Mapping
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure

# many times what a record of a few hundred values takes
MOST_WORK = 20_000


class Scope:
    """Values by the names of their roots. All expressions about one record share one, and its budget of steps."""

    __slots__ = ("_left", "_values")

    def __init__(self, values: Mapping[str, Any], work: int = MOST_WORK) -> None:
        self._values, self._left = values, work

    def get(self, root: str) -> Any:
        """What a root stands for."""
        return self._values.get(root)

    def spend(self, steps: int) -> None:
        """Count what is done; too much is refused."""
        self._left -= steps
        if self._left < 0:
            raise ValidationFailure(
                "its expressions take more steps than one record may cost",
                code=Code.TOO_LARGE,
                hint="ask for less of it",
            )
