"""The connector `files`: a directory tree on this machine. docs/how-to/harvest-files.md is its page."""

from windrow.connectors.files.connector import FilesConnector

__all__ = ["FilesConnector"]
