"""An API, as the conformance suite needs it: the stock of the docs, incremental and listed, behind client credentials."""

from pathlib import Path

from tests.conformance.pages_of_rest import config
from tests.conformance.subjects import Subject
from tests.fakes.bookish import Bookish

from windrow.connectors.rest import RestConnector


def subject(tmp_path: Path, name: str = "stock") -> Subject:
    """130 things, by offset."""
    shop = Bookish().start()
    return Subject(
        name="rest",
        connector=RestConnector,
        config=config(name, shop),
        permits_root=tmp_path,
        mutate=shop.mutate,
        credential=shop.secret,
        addresses=(shop.door,),
        close=shop.close,
    )
