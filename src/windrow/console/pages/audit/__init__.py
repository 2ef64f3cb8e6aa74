"""Audit: who did what to which thing, when, by which authority, and why. The trail is the whole tenant's: for admins."""

from windrow.console.pages.audit.listed import Trail
from windrow.console.pages.desk import Address, Desk, Shown
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The page of this section."""
    return [Shown("/audit", Trail(desk).look, "/live/audit", Role.ADMIN)]
