"""The way to a HashiCorp Vault."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windrow.contracts.errors import Code, Fatal
from windrow.vault import wire
from windrow.vault.secret import Secret


@dataclass(frozen=True, slots=True)
class Door:
    """Where it answers. `namespace` is one of Vault Enterprise, `ca` who signed its certificate."""

    address: str | None
    namespace: str | None = None
    ca: Path | None = None

    @contextmanager
    def client(self, token: Secret | None = None) -> Iterator[tuple[Any, Any]]:
        """hvac's client for some calls, and hvac's exceptions."""
        if self.address is None:
            raise Fatal(
                "vault: credentials need the address of a Vault",
                code=Code.CONFIGURATION,
                hint="set WINDROW_VAULT_ADDRESS",
            )
        try:
            import hvac
            from hvac import exceptions

            from windrow.vault import hashicorp_errors  # noqa: F401 - registers with classify, once hvac is there
        except ImportError as error:
            raise Fatal(
                "vault: credentials need hvac, which is not installed",
                code=Code.CONFIGURATION,
                hint="pip install 'windrow[vault]'",
            ) from error
        with wire.session(self.ca) as session:
            # an empty token, not none: hvac would look for one in the environment and the home directory
            yield (
                hvac.Client(
                    url=self.address,
                    token=token.reveal() if token else "",
                    namespace=self.namespace,
                    session=session,
                    verify=session.verify,
                    timeout=wire.TIMEOUT,
                ),
                exceptions,
            )
