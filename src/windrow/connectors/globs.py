r"""One part of a glob, without a slash, as a function of one name: `*`, `?`, `[a-z]`, `[!a-z]`, `[^a-z]`, and `\` before any of them.

Each `*` but the last takes as little as it can and never thinks again, which is enough for globs. A search that went
back and forth would hold the whole process, and whoever writes a pattern is not the operator.
"""

import re
from collections.abc import Callable

Part = Callable[[str], object]

_TOKEN = re.compile(
    r"\\(?P<literal>.)|(?P<star>\*+)|(?P<one>\?)|\[(?P<among>[!^]?+\]?+(?:\\.|[^\]\\])*+)\]|(?P<plain>.)", re.DOTALL
)
_MEMBER = re.compile(r"\\?(.)", re.DOTALL)


def part(glob: str) -> Part:
    """Whether a name is meant; ValueError says what is wrong with the glob."""
    if not re.search(r"[*?\[\\]", glob):
        return glob.__eq__
    try:
        return re.compile(_regex(glob)).match
    except re.error:
        raise ValueError(f"{glob!r} has a range that runs backwards") from None


def _regex(glob: str) -> str:
    pieces = [""]
    for token in _TOKEN.finditer(glob):
        match token.lastgroup:
            case "star":
                pieces.append("")
            case "one":
                pieces[-1] += "."
            case "among":
                pieces[-1] += _among(token["among"])
            case _:
                pieces[-1] += re.escape(token["literal"] or token["plain"])
    first, *rest = pieces
    if not rest:
        return rf"(?s:{first})\Z"
    middle = "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece)
    return rf"(?s:{first}{middle}.*{rest[-1]})\Z"


def _among(members: str) -> str:
    negated = members[:1] in ("!", "^")
    # a bare - makes a range; every other character means itself
    inside = "".join(
        "-" if token[0] == "-" else re.escape(token[1]) for token in _MEMBER.finditer(members[int(negated) :])
    )
    return f"[{'^' if negated else ''}{inside}]"
