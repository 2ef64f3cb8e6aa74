"""The connector `git`: a repository on this machine or behind https. docs/how-to/harvest-git.md is its page."""

from windrow.connectors.git.connector import GitConnector

__all__ = ["GitConnector"]
