"""Key values: what agents and people keep, by key. Cursors and checkpoints are shown as fingerprints."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.kv.acts import EntryActs
from windrow.console.pages.kv.entry import EntryPage
from windrow.console.pages.kv.listed import Entries
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and its forms."""
    listed, one, acts = Entries(desk), EntryPage(desk), EntryActs(desk)
    return [
        Shown("/kv", listed.look, "/live/kv"),
        Taken("/kv", Role.WRITER, desk.act(acts.add, listed.look)),
        Shown("/kv/{path:path}", one.look, "/live/kv/{path:path}"),
        Taken("/kv/{path:path}/change", Role.WRITER, desk.act(acts.change, one.look)),
        Taken("/kv/{path:path}/delete", Role.WRITER, desk.act(acts.delete, one.look)),
    ]
