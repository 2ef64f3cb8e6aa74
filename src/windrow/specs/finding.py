"""Where something was written, and what is wrong with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from windrow.contracts.errors import ValidationFailure

# from a section to a field of an entry: ("directives", "git", "queue")
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong: on which line, with what, and why. `about` is empty where it is the whole file."""

    file: str
    line: int
    about: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(part for part in (f"{self.file}:{self.line}", self.about, self.reason) if part)


class FileRefused(ValidationFailure):
    """A file that is not taken, with everything that is wrong with it."""

    def __init__(self, file: str, findings: Iterable[Finding], hint: str) -> None:
        self.findings = tuple(sorted(set(findings)))
        super().__init__(f"{file} is refused: {'; '.join(map(str, self.findings))}", hint=hint)


class Places:
    """Where each part of the specs was written."""

    def __init__(self, known: Mapping[Path, Place], otherwise: Place) -> None:
        self._known, self._otherwise = dict(known), otherwise

    def of(self, *path: str | int) -> Place:
        """The line of a part; of what is not written at all, the line of what it would stand in."""
        within = [self._known[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self._known]
        return within[0] if within else self._otherwise

    def below(self, *path: str | int) -> dict[Path, Place]:
        """A part and all that is in it."""
        return {known: place for known, place in self._known.items() if known[: len(path)] == path}

    def finding(self, reason: str, *path: str | int) -> Finding:
        """What is wrong with a part."""
        return found(self.of(*path), path, reason)


def found(place: Place, path: Path, reason: str) -> Finding:
    """A finding about what stands there, in no more words than a person reads, whatever was written."""
    return Finding(place.file, place.line, dotted(path), reason[:400])


def dotted(path: Path) -> str:
    """A path as a person reads it."""
    return ".".join(str(part)[:80] for part in path)
