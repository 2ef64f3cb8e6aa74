"""What people may write by hand, and see: what an agent steers by is its own, and a source's token is nobody's to read.

A cursor moved here would move without its lane (`harvest.steering` is how an operator does it), and a pause annotated here
would pause nothing.
"""

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.kv.entry import Envelope, Purpose

# shown as a fingerprint: it may hold a source's token
HIDDEN = frozenset({Purpose.CURSOR, Purpose.CHECKPOINT})
# where harvesters, subscribers, schedules and the probe keep what they steer by
OWNED = frozenset({"harvest", "directive", "schedule", "probe"})


def check_by_hand(key: Key, found: Envelope | None, purpose: Purpose | None = None) -> None:
    """Refuse what is not for people to write or delete: over what was found there, and as what it is to be."""
    area = key.path.partition("/")[0]
    # a path that was too long is one hashed word, and may stand for anything of an agent's
    if area in OWNED or "~" in area:
        raise ValidationFailure(
            f"what is below {area}/ belongs to the agent that writes it",
            code=Code.INVALID_KEY,
            hint="schedules and cursors have controls of their own; keep notes elsewhere",
        )
    if purpose in HIDDEN or (found is not None and found.semantics.purpose in HIDDEN):
        raise ValidationFailure(
            "cursors and checkpoints are not written by hand",
            code=Code.INVALID_VALUE,
            hint="`windrow cursor` moves one, with a reason; anything else is an annotation, a flag, a lock or a latch",
        )
