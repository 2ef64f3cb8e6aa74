"""Which commit changed a file last, and when it came to be: learnt from one walk over the history, newest first.

Of all commits that changed a path the latest counts; of those of one second, the one that the walk meets first, since
children come before their parents. A walk over what is new can be laid over what an older list knew.
"""

from collections.abc import Container
from dataclasses import dataclass

# time and SHA of a commit
Moment = tuple[int, str]
NEVER: Moment = (-1, "")


@dataclass(slots=True)
class Past:
    """What is known of one path."""

    changed: Moment = NEVER
    added: Moment = NEVER
    renamed: Moment = NEVER
    renamed_from: bytes = b""

    @property
    def came_from(self) -> bytes:
        """The path that it had before, if a rename is how it came to be."""
        return self.renamed_from if self.renamed == self.added else b""

    def lay_over(self, older: "Past") -> None:
        """Add what was known before."""
        self.changed = later(self.changed, older.changed)
        self.added = later(self.added, older.added)
        if later(self.renamed, older.renamed) is older.renamed:
            self.renamed, self.renamed_from = older.renamed, older.renamed_from


def later(known: Moment, other: Moment) -> Moment:
    """The later of two; the known one, where they are of one second."""
    return other if other[0] > known[0] else known


class History:
    """Takes in the output of `git log --raw -z -c -M --format='%H %ct'`, for the paths `among` which we ask.

    Commits of `unknown` say nothing: a shallow clone ends with them, and they seem to have added everything.
    """

    def __init__(self, among: Container[bytes], unknown: Container[str] = ()) -> None:
        self.paths: dict[bytes, Past] = {}
        self._among, self._unknown = among, unknown
        self._commit: Moment | None = None
        # the difference whose paths are still to come
        self._status = b""
        self._paths: list[bytes] = []

    def take(self, tokens: list[bytes]) -> None:
        """The next tokens. A path stands only where one is due, so none can pass for anything else."""
        for token in tokens:
            if self._status:
                self._paths.append(token)
                if len(self._paths) == (2 if self._status in b"RC" else 1):
                    self._changed()
                continue
            line = token.lstrip(b"\n")
            if line.startswith(b":"):
                self._status = _status(line)
            elif line:
                self._begin(line)

    def _begin(self, line: bytes) -> None:
        sha, _, at = line.decode("ascii", "replace").partition(" ")
        self._commit = None if sha in self._unknown else (seconds(at), sha)

    def _changed(self) -> None:
        status, paths, commit = self._status, self._paths, self._commit
        self._status, self._paths = b"", []
        if commit is None or status == b"D" or paths[-1] not in self._among:
            return
        past = self.paths.setdefault(paths[-1], Past())
        past.changed = later(past.changed, commit)
        if status in b"ARC":
            past.added = later(past.added, commit)
        if status == b"R" and later(past.renamed, commit) is commit:
            past.renamed, past.renamed_from = commit, paths[0]


def _status(line: bytes) -> bytes:
    """One letter. A merge has one for each parent, and a single path whatever they are."""
    status = line.rpartition(b" ")[2]
    if not line.startswith(b"::"):
        return status[:1]
    return status[:1] if set(status) in ({ord("A")}, {ord("D")}) else b"M"


def seconds(text: str) -> int:
    """A time of git's; 0 for one that is broken."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
