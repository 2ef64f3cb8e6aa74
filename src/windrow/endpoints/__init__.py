"""Endpoints: the sources that are harvested, each with its connector, configuration, credential's name and schedule."""

from windrow.endpoints.endpoint import EDITABLE, Endpoint
from windrow.endpoints.rules import LARGEST_PAGE, SMALLEST_PAGE, check, refuse_secrets
from windrow.endpoints.schedule import Schedule
from windrow.endpoints.store import add, checked, edit, find, get, listed, page, remove, standings

__all__ = [
    "EDITABLE",
    "LARGEST_PAGE",
    "SMALLEST_PAGE",
    "Endpoint",
    "Schedule",
    "add",
    "check",
    "checked",
    "edit",
    "find",
    "get",
    "listed",
    "page",
    "refuse_secrets",
    "remove",
    "standings",
]
