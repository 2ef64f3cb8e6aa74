"""Which entries of the tree are listed, and which directories are entered."""

from collections.abc import Sequence

from windrow.connectors.patterns import Pattern


class Rules:
    """An endpoint's include, exclude and hidden, as answers about paths given in parts."""

    def __init__(self, *, include: Sequence[str] = (), exclude: Sequence[str] = (), hidden: bool = False) -> None:
        self._include = [Pattern.compiled(text) for text in include]
        # the last one that matches decides
        self._exclude = [Pattern.compiled(text) for text in reversed(exclude)]
        self._hidden = hidden

    def exclude(self, path: Sequence[str], *, folder: bool) -> bool:
        """Whether this is left out, and if it is a directory, all that is inside."""
        if not self._hidden and path[-1].startswith("."):
            return True
        for pattern in self._exclude:
            if pattern.matches(path, folder=folder):
                return not pattern.restores
        return False

    def include(self, path: Sequence[str], *, folder: bool) -> bool:
        """Whether this, and if it is a directory, all that is inside, is asked for."""
        return not self._include or any(pattern.matches(path, folder=folder) for pattern in self._include)

    def reach_below(self, folder: Sequence[str]) -> bool:
        """Whether something may be asked for inside a directory that is not asked for itself."""
        return any(pattern.reaches_below(folder) for pattern in self._include)
