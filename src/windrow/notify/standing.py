"""How it stands with notices: the last word about each of some subjects, and how many there were lately."""

from collections.abc import Sequence
from datetime import datetime

from windrow.notify.notice import Channel, Severity
from windrow.notify.reading import Told, notice_of
from windrow.notify.telling import topic_of
from windrow.postgres import Transaction, load

Q = load(__package__, "standing.sql")

DAYS, HOURS_EACH = 7, 6
_MOST = 1000


async def last_words(tx: Transaction, subjects: Sequence[str]) -> list[Told]:
    """The last notice of each channel about each subject (`Notice.subject`), the latest first."""
    rows = await tx.rows(Q.last_words, topics=[topic_of(each) for each in Channel], subjects=list(subjects))
    return [Told(row["message_id"], row["published_at"], notice_of(row["topic"], row["payload"])) for row in rows]


async def lately(tx: Transaction, project: str) -> dict[datetime, dict[Severity, int]]:
    """How many notices of which severity were told within each six hours of the last week; of very many, the latest."""
    rows = await tx.rows(Q.lately, project=project, days=DAYS, hours=HOURS_EACH, most=_MOST)
    found: dict[datetime, dict[Severity, int]] = {}
    for row in rows:
        if row["severity"] in tuple(Severity):
            found.setdefault(row["since"], {})[Severity(row["severity"])] = row["notices"]
    return found
