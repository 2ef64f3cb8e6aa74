"""Which files are listed: the same globs as in `files`, for paths that are bytes."""

from collections.abc import Sequence
from functools import lru_cache

from windrow.connectors.files.rules import Rules


class Filter:
    """An endpoint's include and exclude."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._rules = Rules(include=include, exclude=exclude, hidden=True)
        self._everything = not include and not exclude
        # files of one directory stand together
        self._folder = lru_cache(maxsize=1024)(self._of_folder)

    def lists(self, path: bytes) -> bool:
        """Whether a file is listed."""
        if self._everything:
            return True
        parts = tuple(path.decode("utf-8", "surrogateescape").split("/"))
        excluded, included = self._folder(parts[:-1])
        if excluded or self._rules.exclude(parts, folder=False):
            return False
        return included or self._rules.include(parts, folder=False)

    def _of_folder(self, parts: tuple[str, ...]) -> tuple[bool, bool]:
        """Whether a directory is left out, and whether all of it is asked for; both hold for what is inside."""
        if not parts:
            return False, False
        excluded, included = self._folder(parts[:-1])
        return (
            excluded or self._rules.exclude(parts, folder=True),
            included or self._rules.include(parts, folder=True),
        )
