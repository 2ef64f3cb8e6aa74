"""The words of the expression language. One pattern without nesting: a text is read once, from left to right."""

import re
from typing import NamedTuple

_WORD = re.compile(
    r"""(?P<name>[A-Za-z_@$][A-Za-z0-9_@$-]*)
      | (?P<number>-?[0-9]{1,15}(?:\.[0-9]{1,15})?)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<mark>[].[|(),])""",
    re.ASCII | re.VERBOSE,
)


class Word(NamedTuple):
    """A name, a number, a text in quotes (without them), or a mark; `end` where there is no more."""

    kind: str
    text: str

    def __str__(self) -> str:
        return repr(self.text) if self.text else "its end"


END = Word("end", "")


class Scanner:
    """Gives the words of an expression, up to the `}` that closes it."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at = text, at

    def peek(self) -> Word:
        """The next word, left where it is."""
        return self._read()[0]

    def take(self) -> Word:
        """The next word."""
        word, self.at = self._read()
        return word

    def skips(self, mark: str) -> bool:
        """Whether the next word is this mark, which is then taken."""
        if self.peek() != Word("mark", mark):
            return False
        self.take()
        return True

    def expect(self, mark: str) -> None:
        """Take this mark, or refuse what stands in its place."""
        if not self.skips(mark):
            raise ValueError(f"{mark!r} is due before {self.peek()}")

    def _read(self) -> tuple[Word, int]:
        at = self.at
        while at < len(self.text) and self.text[at] == " ":
            at += 1
        if at == len(self.text) or self.text[at] == "}":
            return END, at
        found = _WORD.match(self.text, at)
        if found is None:
            raise ValueError(f"{self.text[at]!r} has no meaning at character {at + 1}")
        kind = str(found.lastgroup)
        return Word(kind, found[0][1:-1] if kind == "text" else found[0]), found.end()
