"""What a tap writes on its stderr: into our log, line by line, redacted; and the end of it for the error, if there is one."""

from collections import deque
from collections.abc import Callable

from windrow.connectors.singer.lines import Line, Lines
from windrow.telemetry import redact

LONGEST_LINE = 64 * 1024
MOST_SAID = 200
_SHOWN = 500
_LAST_LINES, _LAST_SHOWN = 3, 400

Say = Callable[[str], None]


class Complaints:
    """Takes in the stderr of one run of a tap. Of a talkative one only the beginning is in the log."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._lines = Lines(LONGEST_LINE)
        self._said = 0
        self._last: deque[str] = deque(maxlen=_LAST_LINES)

    def take(self, chunk: bytes) -> None:
        for line in self._lines.cut(chunk):
            self._heard(line)

    def end(self) -> None:
        for line in self._lines.end():
            self._heard(line)

    @property
    def words(self) -> str:
        """The end of what it said, in one line."""
        text = " / ".join(self._last)
        return text if len(text) <= _LAST_SHOWN else "…" + text[-_LAST_SHOWN:]

    def _heard(self, line: Line) -> None:
        text = _shown(line)
        if not text:
            return
        self._last.append(text)
        self._said += 1
        if self._said <= MOST_SAID:
            self._say(text)
        elif self._said == MOST_SAID + 1:
            self._say("… the tap says more, which is not written here")


def _shown(line: Line) -> str:
    if line.cut:
        # half of a secret would not be known as one
        return f"(a line of {line.length} bytes, not shown)"
    text = redact(line.text.decode("utf-8", "replace"))
    text = "".join(char if char.isprintable() else " " for char in text).strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
