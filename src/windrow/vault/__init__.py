"""Where credentials come from: `Vault` resolves a `credential_ref` into a `Secret` that cannot be shown."""

from windrow.vault.backend import Backend
from windrow.vault.grants import Grants
from windrow.vault.reference import Reference
from windrow.vault.secret import Secret
from windrow.vault.vault import Vault

__all__ = ["Backend", "Grants", "Reference", "Secret", "Vault"]
