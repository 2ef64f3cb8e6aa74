"""The last runs of an endpoint as a small chart: how much each read, and how it ended."""

import math
from collections.abc import Sequence

from windrow.console.pages.charts import Chart, columns
from windrow.console.pages.conditions import OUTCOMES
from windrow.console.pages.words import plural
from windrow.postgres.pool import Row

# as many for each endpoint, so that two can be compared
PLACES = 14


def lately(runs: Sequence[Row], *, width: float = 112, height: float = 24) -> Chart:
    """The oldest first. By the root of what was read, so that a first run does not dwarf the others."""
    series: list[dict[str, float]] = [{row["outcome"]: 1 + math.sqrt(row["fetched"])} for row in runs]
    ended = {outcome: sum(row["outcome"] == outcome for row in runs) for outcome in OUTCOMES}
    said = ", ".join(f"{count} {outcome}" for outcome, count in ended.items() if count)
    empty: list[dict[str, float]] = [{}]
    words = f"The last {plural(len(runs), 'run')}: {said or 'none'}."
    return columns(empty * (PLACES - len(series)) + series[-PLACES:], words, width=width, height=height)
