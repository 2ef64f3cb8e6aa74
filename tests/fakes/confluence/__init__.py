"""Confluence on loopback: the Cloud's two APIs, and the Data Center's one. Written from Atlassian's documentation."""

from tests.fakes.confluence.server import Confluence
from tests.fakes.confluence.wiki import Content, Space, Wiki

__all__ = ["Confluence", "Content", "Space", "Wiki"]
