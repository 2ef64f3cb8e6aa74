"""Who is logged in to the console: one-time links, sessions behind a cookie, and forms that only our own pages can send."""

from windrow.console.session.links import Guest, invite
from windrow.console.session.reception import Reception, Visit
from windrow.console.session.sessions import Session, SessionLimits

__all__ = ["Guest", "Reception", "Session", "SessionLimits", "Visit", "invite"]
