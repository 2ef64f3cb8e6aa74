"""The output of a tap, cut into lines as it arrives. A line that is too long is counted and not kept."""

from typing import NamedTuple


class Line(NamedTuple):
    """A line without its end; of one that is too long, the beginning. `length` is that of all of it."""

    text: bytes
    length: int

    @property
    def cut(self) -> bool:
        return self.length > len(self.text)


class Lines:
    """Cuts chunks into lines, and holds no more than the longest that is wanted."""

    def __init__(self, longest: int, *, shown: int = 4096) -> None:
        self._longest, self._shown = longest, shown
        self._parts: list[bytes] = []
        self._length = 0

    def cut(self, chunk: bytes) -> list[Line]:
        """The lines that end in this chunk."""
        *whole, rest = chunk.split(b"\n")
        found = []
        for part in whole:
            self._hold(part)
            found.append(self._line())
        self._hold(rest)
        return found

    def end(self) -> list[Line]:
        """What came behind the last line end, if anything."""
        return [self._line()] if self._length else []

    def _hold(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._longest:
            self._parts.append(part)
        elif len(self._parts) != 1 or len(self._parts[0]) != self._shown:
            # beyond the bound nothing more is kept, however much arrives
            self._parts = [b"".join([*self._parts, part])[: self._shown]]

    def _line(self) -> Line:
        line = Line(b"".join(self._parts), self._length)
        self._parts, self._length = [], 0
        return line
