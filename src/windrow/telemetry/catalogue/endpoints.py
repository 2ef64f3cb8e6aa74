"""What the endpoints say."""

from windrow.telemetry.declare import Event, Level

_WHICH = ("endpoint_id", "connector", "version", "actor")

EVENTS = (
    Event("endpoint.added", Level.INFO, "A source to harvest was added.", _WHICH),
    Event("endpoint.revived", Level.INFO, "A source that had been removed was added again.", _WHICH),
    Event("endpoint.edited", Level.INFO, "A source's settings were changed.", (*_WHICH, "changed")),
    Event("endpoint.removed", Level.INFO, "A source is harvested no more; its items stay in the catalog.", _WHICH),
)
