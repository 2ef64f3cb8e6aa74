"""Media jobs: what is known of a medium, the clip that is cut from it, and where each stands."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.media.acts import ACTS, MediaActs
from windrow.console.pages.media.listed import MediaJobs
from windrow.console.pages.media.one import MediaJobPage
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section."""
    listed, page, acts = MediaJobs(desk), MediaJobPage(desk), MediaActs(desk)
    return [
        Shown("/media", listed.look, "/live/media"),
        Taken("/media", Role.WRITER, desk.act(acts.submit, listed.look)),
        Shown("/media/{job_id}", page.look, "/live/media/{job_id}"),
        *(Taken(f"/media/{{job_id}}/{act}", Role.WRITER, desk.act(acts.does(act), page.look)) for act in ACTS),
    ]
