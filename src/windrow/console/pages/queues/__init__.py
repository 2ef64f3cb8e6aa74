"""Queues: what is on its way into the catalog and to subscribers, what is stuck, and what could not be delivered."""

from windrow.console.pages.desk import Address, Desk, Shown, Taken
from windrow.console.pages.queues.lanes import LANE_ACTS, LaneActs
from windrow.console.pages.queues.letter import LetterPage
from windrow.console.pages.queues.letters import DeadLetters
from windrow.console.pages.queues.page import Queues
from windrow.console.pages.queues.sending import LETTER_ACTS, LetterActs
from windrow.console.pages.queues.topic import TopicPage
from windrow.web.principal import Role


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and its forms. Messages are the whole tenant's, so that only admins read them."""
    queues, letters, letter = Queues(desk), DeadLetters(desk), LetterPage(desk)
    lanes, sending = LaneActs(desk), LetterActs(desk)
    return [
        Shown("/queues", queues.look, "/live/queues"),
        *(
            Taken(f"/queues/lanes/{{name}}/{act}", Role.WRITER, desk.act(lanes.does(act), queues.look))
            for act in LANE_ACTS
        ),
        Shown("/queues/topics/{topic}", TopicPage(desk).look, role=Role.ADMIN),
        Shown("/queues/dead-letters", letters.look, role=Role.ADMIN),
        Shown("/queues/dead-letters/{message_id}", letter.look, role=Role.ADMIN),
        *(
            Taken(f"/queues/dead-letters/{act}", Role.ADMIN, desk.act(sending.several(act), letters.look))
            for act in LETTER_ACTS
        ),
        *(
            Taken(f"/queues/dead-letters/{{message_id}}/{act}", Role.ADMIN, desk.act(sending.one(act), letter.look))
            for act in LETTER_ACTS
        ),
    ]
