"""Jobs: what is to be done, who does it, how far it is, and what became of it."""

from windrow.console.pages.desk import Address, Desk, Given, Shown, Taken
from windrow.console.pages.jobs.acts import ACTS, JobActs
from windrow.console.pages.jobs.artifact import Artifacts
from windrow.console.pages.jobs.listed import Jobs
from windrow.console.pages.jobs.one import JobPage
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section."""
    listed, page, acts = Jobs(desk), JobPage(desk), JobActs(desk)
    return [
        Shown("/jobs", listed.look, "/live/jobs"),
        Taken("/jobs", Role.WRITER, desk.act(acts.submit, listed.look)),
        Shown("/jobs/{job_id}", page.look, "/live/jobs/{job_id}"),
        Given("/jobs/{job_id}/artifact", Artifacts(desk).give),
        *(Taken(f"/jobs/{{job_id}}/{act}", Role.WRITER, desk.act(acts.does(act), page.look)) for act in ACTS),
    ]
