"""One database for a whole module, as for the store."""

from tests.integration.kv.conftest import database_url, module_url

__all__ = ["database_url", "module_url"]
