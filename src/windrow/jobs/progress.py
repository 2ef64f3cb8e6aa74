"""Which progress is worth telling."""

import math

_STEP = 1.0
_PAUSE = 0.5
_END = 100.0


class Throttle:
    """RR-8: when the percent rose by one or more, when half a second has passed, or when it is the final 100."""

    def __init__(self) -> None:
        self._told: float | None = None
        self._at = -math.inf

    def admits(self, percent: float, now: float) -> float | None:
        """The percent to tell, never less than before; None if it is not worth it. After 100 there is nothing to tell."""
        if math.isnan(percent) or self._told == _END:
            return None
        value = max(self._told or 0.0, min(_END, percent))
        rose = self._told is None or value - self._told >= _STEP or value == _END
        if not rose and now - self._at < _PAUSE:
            return None
        self._told, self._at = value, now
        return value
