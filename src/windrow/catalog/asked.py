"""What a person typed into a search: words, "phrases", -minus. Whatever is typed means something; nothing is an error."""

import re
from dataclasses import dataclass

LONGEST = 1000
MOST_TERMS = 16

# a phrase whose closing quote is missing goes on to the end
_TERM = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)(?:"|$)|(?P<word>\S+)')
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # what the database cannot be sent


@dataclass(frozen=True, slots=True)
class Asked:
    """The terms of a search. `unfinished`: the last word may go on, as `harv` does in `harvest`."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    unfinished: bool = False


def parse(text: str) -> Asked:
    """The terms of what was typed; behind the first sixteen, and the first thousand characters, nothing is looked at."""
    terms = list(_TERM.finditer(_NO_TEXT.sub(" ", text[:LONGEST])))[:MOST_TERMS]
    words: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    for term in terms:
        word, phrase = term["word"], term["phrase"]
        if word is None:
            (without if term["minus"] else phrases).append(phrase)
        elif word.startswith("-"):
            without.append(word[1:])
        else:
            words.append(word)
    last = terms[-1]["word"] if terms else None
    unfinished = last is not None and not last.startswith("-") and not text[-1:].isspace()
    return Asked(tuple(words), tuple(phrases), tuple(without), unfinished)
