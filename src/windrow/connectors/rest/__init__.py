"""Any REST API, described by a YAML file: docs/how-to/harvest-rest.md says how."""

from windrow.connectors.rest.connector import RestConnector

__all__ = ["RestConnector"]
