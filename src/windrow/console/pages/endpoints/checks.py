"""What speaks against a draft: each thing with the blank where it stands, in words for whoever fills it in."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from windrow import endpoints
from windrow.connectors.configuration import Fault, faults
from windrow.connectors.demands import unmet
from windrow.connectors.registry import AnyConnector
from windrow.console.pages.endpoints.form.blanks import ROOT
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.endpoints.secrecy import secret_field

# an endpoint with nothing wrong, to be asked about one setting at a time
_PROBE = Endpoint(scope=Scope("probe", "probe"), endpoint_id="probe", connector="probe")

Faults = dict[str, str]


def wrong_name(name: str) -> Faults:
    """Of a new endpoint."""
    if not name:
        return {"name": "Name is required"}
    return refused("name", endpoint_id=name)


def wrong_zone(zone: str) -> Faults:
    """As schedules know them."""
    from windrow.orchestration.scheduling import checked_zone  # Temporal's client takes a while to load

    try:
        checked_zone(zone)
    except ValidationFailure as error:
        return {"time_zone": _sentence(error)}
    return {}


def wrong_settings(kind: AnyConnector, said: Mapping[str, Any]) -> Faults:
    """What is asked beside the configuration: by the rules of all endpoints, and by what the connector demands."""
    found: Faults = {}
    for name, failure in unmet(kind.spec, credential_ref=said["credential_ref"], page_size=_whole(said["page_size"])):
        found[name] = _sentence(failure)
    for name in said.keys() & {"credential_ref", "schedule", "page_size"}:
        found |= refused(name, **{name: said[name]})
    return found


def wrong_config(
    kind: AnyConnector, labels: Mapping[str, str], config: dict[str, Any], unread: Collection[str]
) -> Faults:
    """Bounds and secrets first: what follows looks at every value. What was not even read is told already."""
    if unfit := refused("", config=config):
        return {_secret_place(labels, config): unfit[""]}
    found: Faults = {}
    for fault in faults(kind, config):
        name, rest = _at(labels, fault.place)
        # of the whole nothing is said while a part is unread: it may be just what is missed
        if name not in unread and (name or not unread):
            found.setdefault(name, _worded(labels.get(name, ""), rest, fault))
    return found


def _secret_place(labels: Mapping[str, str], config: dict[str, Any]) -> str:
    try:
        place = secret_field(config)
    except RecursionError:  # refused for its depth
        return ""
    return _at(labels, tuple(place.split(".")))[0] if place else ""


def _at(labels: Mapping[str, str], place: tuple[str | int, ...]) -> tuple[str, str]:
    """The blank that a place of the configuration is in, and the way from there; `""` if it is in none."""
    parts = [str(part) for part in place]
    for upto in range(len(parts), 0, -1):
        if (name := ".".join([ROOT, *parts[:upto]])) in labels:
            return name, ".".join(parts[upto:])
    return "", ".".join(parts)


def _worded(label: str, rest: str, fault: Fault) -> str:
    wrong = fault.wrong.removeprefix("is refused: ")
    if wrong != fault.wrong and not rest:
        return f"{wrong[:1].upper()}{wrong[1:]}"
    where = ": ".join(filter(None, (label, rest)))
    return f"{where} {fault.wrong}".strip()


def refused(name: str, **settings: Any) -> Faults:
    """What the rules of endpoints say against one setting."""
    try:
        endpoints.check(replace(_PROBE, **settings))
    except ValidationFailure as error:
        return {name: _sentence(error)}
    return {}


def _sentence(error: ValidationFailure) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _whole(size: Any) -> int | None:
    return size if isinstance(size, int) else None
