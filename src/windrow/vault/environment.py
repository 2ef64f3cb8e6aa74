"""`env:NAME`: a variable of the process."""

from collections.abc import Mapping

from windrow.vault.backend import missing
from windrow.vault.grants import Permitted


class Environment:
    """Reads from the mapping it was given; an empty variable counts as missing."""

    scheme = "env"

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    async def read(self, permitted: Permitted) -> str:
        reference = permitted.reference
        value = self._variables.get(reference.name)
        if not value:
            raise missing(
                reference,
                f"set {reference.name} in the environment of whoever reads it, `windrow up` or each worker, and start that again",
            )
        return value
