"""What is looked for, once the database has said which words it is: as queries for the index, and as patterns for a row.

In the index each word stands behind its owner, left open here as `~`, and its kind: n of the name, e the whole name,
o any other, @ the endpoint (migration 0008), l a label and u an owner of the item, both whole (migration 0022).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Words that must be there, phrases that must too, phrases that must not; and the filters, of which the type is words."""

    words: Words = ()
    unfinished: bool = False
    phrases: tuple[Words, ...] = ()
    without: tuple[Words, ...] = ()
    entity_type: Words = ()
    label: str | None = None
    owner: str | None = None
    endpoint: str | None = None

    @property
    def anywhere(self) -> str:
        """All words, in whatever field; empty when there is nothing to look for."""
        named = self.words or self._is_narrow or (self.endpoint and not self.without)
        return self._query("no", self.words, self.unfinished) if named else ""

    @property
    def begun(self) -> str:
        """All words but the last one, which may go on; empty where that is no search of its own.

        The index gathers all that begins like the last word before it compares: in vain, where the others are rare.
        """
        rest = self.words[:-1]
        return self._query("no", rest) if self.unfinished and (rest or self._is_narrow) else ""

    @property
    def beginning(self) -> str:
        """The last word alone, with all that begins like it."""
        return _of_kinds("no", self.words[-1], ":*")

    @property
    def in_name(self) -> str:
        """All words in the name."""
        alone = len(self.words) == 1
        return self._query("n", self.words, self.unfinished and alone) if self.words else ""

    @property
    def as_name(self) -> str:
        """The only word as the whole name."""
        return self._query("e", self.words) if len(self.words) == 1 else ""

    @property
    def patterns(self) -> list[str]:
        """What a text must hold for all words to be in it."""
        patterns = [f" {word} " for word in self.words]
        if patterns and self.unfinished:
            patterns[-1] = patterns[-1].rstrip(" ")
        return patterns

    @property
    def whole(self) -> str:
        """The name that is just what was asked for."""
        return _as_phrase(self.words)

    @property
    def quoted(self) -> list[str]:
        return [_as_phrase(phrase) for phrase in self.phrases if phrase]

    @property
    def barred(self) -> list[str]:
        return [_as_phrase(phrase) for phrase in self.without if phrase]

    @property
    def _is_narrow(self) -> bool:
        """Whether the filters are a search of their own."""
        return bool(self.entity_type or self.label or self.owner)

    def _query(self, kinds: str, words: Words, unfinished: bool = False) -> str:
        parts = [_of_kinds(kinds, word) for word in words]
        if unfinished:
            parts[-1] = _of_kinds(kinds, words[-1], ":*")
        return "&".join([*parts, *self._besides()])

    def _besides(self) -> Iterator[str]:
        yield from (_of_kinds("o", word) for word in self.entity_type)
        if self.label:
            yield _of_kinds("l", _whole(self.label))
        if self.owner:
            yield _of_kinds("u", _whole(self.owner))
        # of a phrase that must not be there, the words may be: the rows are asked
        yield from ("!" + _of_kinds("no", phrase[0]) for phrase in self.without if len(phrase) == 1)
        if self.endpoint:
            yield _of_kinds("@", self.endpoint)


def _of_kinds(kinds: str, word: str, end: str = "") -> str:
    quoted = word.replace("\\", "\\\\").replace("'", "''")
    return "(" + "|".join(f"'~{kind}{quoted}'{end}" for kind in kinds) + ")"


def _whole(said: str) -> str:
    """As the index knows it, whatever it is made of."""
    return hashlib.md5(said.encode(), usedforsecurity=False).hexdigest()[:16]


def _as_phrase(words: Words) -> str:
    return f" {' '.join(words)} "
