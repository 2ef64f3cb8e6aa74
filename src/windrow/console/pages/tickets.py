"""What makes a form that is sent twice ask for one thing: a ticket that the page was drawn with."""

import re
import uuid

from windrow.console.session import Visit

_TICKET = re.compile(r"[0-9a-f]{32}", re.ASCII)


def new_ticket() -> str:
    """For a form that is drawn."""
    return uuid.uuid4().hex


def ticket_of(visit: Visit) -> str:
    """That of the form; a new one where it has none that could be ours."""
    given = visit.form.get("ticket", "")
    return given if _TICKET.fullmatch(given) else new_ticket()
