"""A tap, as the conformance suite needs it: two streams, and a STATE that does not come where pages end."""

from pathlib import Path

from tests.conformance.subjects import Subject
from tests.fakes.singer import Shop

from windrow.connectors.singer import SingerConnector


def subject(tmp_path: Path) -> Subject:
    """150 things that are read since the last time, 20 shelves that are read as a whole."""
    shop = Shop(tmp_path / "shop")

    def mutate() -> None:
        shop.change(3, "changed")
        shop.delete(5)

    return Subject(
        name="singer",
        connector=SingerConnector,
        config={"tap": "shop", "tap_config": shop.config, "fill": ["api_key"], "relist_hours": 24},
        permits_root=tmp_path,
        taps={"shop": shop.tap},
        mutate=mutate,
    )
