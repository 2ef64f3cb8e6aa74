"""Alerts: what people were told, by which channel, whether it arrived, and what of it is still so."""

from windrow.console.pages.alerts.page import Alerts
from windrow.console.pages.desk import Address, Desk, Shown


def addresses(desk: Desk) -> list[Address]:
    """The page of this section."""
    return [Shown("/alerts", Alerts(desk).look, "/live/alerts")]
