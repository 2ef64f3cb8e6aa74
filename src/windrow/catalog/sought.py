"""What is looked for, once the database has said which words it is: as queries for the index, and as patterns for a row.

In the index each word stands behind its owner, left open here as `~`, and its kind: n of the name, e the whole name,
o any other, @ the endpoint (migration 0008).
"""

from collections.abc import Iterable
from dataclasses import dataclass

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Words that must be there, phrases that must too, phrases that must not, and what the filters are known by."""

    words: Words
    unfinished: bool
    phrases: tuple[Words, ...] = ()
    without: tuple[Words, ...] = ()
    filters: Words = ()
    endpoint: str | None = None

    @property
    def queries(self) -> tuple[str, ...]:
        """Anywhere; in the name; as the whole name. Each finds less than the one before it, and better."""
        if not self.words and not self.filters:
            return ()
        anywhere, in_name = (self._all(kinds) for kinds in ("no", "n"))
        queries = [anywhere] if not self.words else [anywhere, in_name]
        if len(self.words) == 1:
            queries.append(_lexeme("e", self.words[0]))
        return tuple("&".join([*filter(None, [query]), *self._besides()]) for query in queries)

    @property
    def patterns(self) -> list[str]:
        """What a text must hold for all words to be in it."""
        patterns = [f" {word} " for word in self.words]
        if patterns and self.unfinished:
            patterns[-1] = patterns[-1].rstrip()
        return patterns

    @property
    def whole(self) -> str:
        """A name that is what was asked for."""
        return _as_phrase(self.words)

    @property
    def quoted(self) -> list[str]:
        return [_as_phrase(phrase) for phrase in self.phrases if phrase]

    @property
    def barred(self) -> list[str]:
        return [_as_phrase(phrase) for phrase in self.without if phrase]

    def _all(self, kinds: str) -> str:
        last = len(self.words) - 1
        return "&".join(
            _of_kinds(kinds, word, may_go_on=self.unfinished and at == last) for at, word in enumerate(self.words)
        )

    def _besides(self) -> Iterable[str]:
        yield from (_of_kinds("o", word) for word in self.filters)
        # a phrase that must not be there cannot be told from its words: the rows are asked
        yield from ("!" + _of_kinds("no", phrase[0]) for phrase in self.without if len(phrase) == 1)
        if self.endpoint:
            yield _lexeme("@", self.endpoint)


def _of_kinds(kinds: str, word: str, *, may_go_on: bool = False) -> str:
    return "(" + "|".join(_lexeme(kind, word) + (":*" if may_go_on else "") for kind in kinds) + ")"


def _lexeme(kind: str, word: str) -> str:
    quoted = word.replace("\\", "\\\\").replace("'", "''")
    return f"'~{kind}{quoted}'"


def _as_phrase(words: Words) -> str:
    return f" {' '.join(words)} "
