"""The port: a place that credentials are read from."""

from typing import Protocol

from windrow.contracts.errors import Code, Fatal
from windrow.vault.grants import Permitted
from windrow.vault.reference import Reference


class Backend(Protocol):
    """Reads the text behind a name of its scheme. It raises our errors, and never puts what it read into one.

    It is given a `Permitted` and not a name, so that nothing can be read that the operator's list was not asked about.
    """

    @property
    def scheme(self) -> str: ...

    async def read(self, permitted: Permitted) -> str: ...


def missing(reference: Reference, hint: str) -> Fatal:
    """The error of every backend for what is not there."""
    return Fatal(f"there is no credential {reference}", code=Code.CREDENTIAL_MISSING, hint=hint)
