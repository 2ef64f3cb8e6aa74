"""The connector `confluence`: a site in the Cloud or a Data Center. docs/how-to/harvest-confluence.md is its page."""

from windrow.connectors.confluence.connector import ConfluenceConnector

__all__ = ["ConfluenceConnector"]
