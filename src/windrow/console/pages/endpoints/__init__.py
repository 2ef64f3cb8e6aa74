"""Endpoints: every source, how it is, and what can be done about it."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.endpoints.acts import ACTS, EndpointActs
from windrow.console.pages.endpoints.listed import Endpoints
from windrow.console.pages.endpoints.one import EndpointPage
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and its forms."""
    one, acts = EndpointPage(desk), EndpointActs(desk)
    return [
        Shown("/endpoints", Endpoints(desk).look, "/live/endpoints"),
        Shown("/endpoints/{name}", one.look, "/live/endpoints/{name}"),
        *(Taken(f"/endpoints/{{name}}/{act}", Role.WRITER, desk.act(acts.does(act), one.look)) for act in ACTS),
    ]
