"""The connector `github`: an account's repositories and what is in them. docs/how-to/harvest-github.md is its page."""

from windrow.connectors.github.connector import GithubConnector

__all__ = ["GithubConnector"]
