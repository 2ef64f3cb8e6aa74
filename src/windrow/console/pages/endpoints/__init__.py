"""Endpoints: every source, how it is, and what can be done about it."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.endpoints.acts import ACTS, EndpointActs
from windrow.console.pages.endpoints.adding import Adding
from windrow.console.pages.endpoints.editing import Editing
from windrow.console.pages.endpoints.listed import Endpoints
from windrow.console.pages.endpoints.one import EndpointPage
from windrow.console.pages.endpoints.sampling import Sampling
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and its forms."""
    one, acts = EndpointPage(desk), EndpointActs(desk)
    adding, editing, sampling = Adding(desk), Editing(desk), Sampling(desk)
    return [
        Shown("/endpoints", Endpoints(desk).look, "/live/endpoints"),
        Shown("/add", adding.choose, role=Role.WRITER),
        Shown("/add/{connector}", adding.look, role=Role.WRITER),
        Taken("/add/{connector}", Role.WRITER, adding.take),
        Shown("/endpoints/{name}", one.look, "/live/endpoints/{name}"),
        *(Taken(f"/endpoints/{{name}}/{act}", Role.WRITER, desk.act(acts.does(act), one.look)) for act in ACTS),
        Shown("/endpoints/{name}/edit", editing.look, role=Role.WRITER),
        Taken("/endpoints/{name}/edit", Role.WRITER, editing.take),
        Taken("/endpoints/{name}/remove", Role.WRITER, desk.act(editing.remove, one.look)),
        Taken("/endpoints/{name}/restore", Role.WRITER, desk.act(editing.restore, one.look)),
        Shown("/endpoints/{name}/preview", sampling.look, role=Role.WRITER),
        Taken("/endpoints/{name}/preview", Role.WRITER, sampling.take),
    ]
