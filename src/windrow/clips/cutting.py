"""How far a cut has come, from the lines of ffmpeg's `-progress`."""


class Cutting:
    """Reads the report; times are within the clip."""

    def __init__(self, length: float) -> None:
        self._length = length
        self.frames = 0
        self.percent = 0.0

    def take(self, line: str) -> bool:
        """The next line; True when a block of them is complete, and the figures are worth looking at."""
        name, _, value = line.strip().partition("=")
        match name:
            case "frame" if value.strip().isdecimal():
                self.frames = int(value)
            # `N/A` until something was written
            case "out_time_us" if value.removeprefix("-").isdecimal():
                done = int(value) / 1_000_000 / self._length
                self.percent = max(self.percent, min(100.0, 100 * done))
        return name == "progress"
