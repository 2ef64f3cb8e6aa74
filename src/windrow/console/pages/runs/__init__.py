"""Runs: what was read, when, and how it ended."""

from windrow.console.pages.desk import Address, Desk, Shown
from windrow.console.pages.runs.listed import Runs
from windrow.console.pages.runs.one import RunPage


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section."""
    return [
        Shown("/runs", Runs(desk).look, "/live/runs"),
        Shown("/runs/{run_id:path}", RunPage(desk).look, "/live/runs/{run_id:path}"),
    ]
