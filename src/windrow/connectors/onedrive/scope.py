"""What of a drive an endpoint wants: a folder of it, and of that what include and exclude leave."""

from collections.abc import Sequence

from windrow.connectors.files.rules import Rules
from windrow.connectors.onedrive.config import OneDriveConfig
from windrow.connectors.onedrive.folders import Chain


class Scope:
    """Answers whether something belongs to the endpoint, by where it stands."""

    def __init__(self, config: OneDriveConfig) -> None:
        self._rules = Rules(include=config.include, exclude=config.exclude, hidden=True)
        # nothing is ever left out
        self.is_everything = not (config.folder or config.include or config.exclude)

    def holds(self, chain: Chain, *, top: str | None, is_folder: bool) -> bool:
        """Whether the thing at the end of a chain is wanted. `top` is the folder that the endpoint is about, if not all."""
        parts: Sequence[str] = chain.names
        if top is not None:
            if top not in chain.ids:
                return False
            parts = chain.names[chain.ids.index(top) :]
        # the folder that all of it is about is listed in any case
        return not parts or self._wanted(parts, is_folder)

    def _wanted(self, parts: Sequence[str], is_folder: bool) -> bool:
        steps = [(parts[:upto], upto < len(parts) or is_folder) for upto in range(1, len(parts) + 1)]
        if any(self._rules.exclude(path, folder=folder) for path, folder in steps):
            return False
        return any(self._rules.include(path, folder=folder) for path, folder in steps)
