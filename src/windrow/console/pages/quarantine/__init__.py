"""Quarantine: what was refused, why, and what to do about it."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.quarantine.acts import Acts
from windrow.console.pages.quarantine.alike import Alike
from windrow.console.pages.quarantine.listed import Groups
from windrow.web.principal import Role

_ONE = "/quarantine/{key}/{endpoint}/{entry_id}"


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and its forms."""
    alike, acts = Alike(desk), Acts(desk)
    return [
        Shown("/quarantine", Groups(desk).look, "/live/quarantine"),
        Shown("/quarantine/{key}", alike.look),
        *(
            Taken(path, Role.WRITER, desk.act(do, alike.look))
            for path, do in (
                ("/quarantine/{key}/retry", acts.retry_all),
                ("/quarantine/{key}/dismiss", acts.dismiss_all),
                (f"{_ONE}/retry", acts.retry),
                (f"{_ONE}/dismiss", acts.dismiss),
            )
        ),
    ]
