"""Catalog: what was harvested, found by its words, and each item with all that is known about it."""

from windrow.console.pages.catalog.files import Files
from windrow.console.pages.catalog.listed import Catalog
from windrow.console.pages.catalog.one import ItemPage
from windrow.console.pages.desk import Address, Desk, Given, Shown


def addresses(desk: Desk) -> list[Address]:
    """The pages of this section, and the way to an item's files."""
    return [
        Shown("/catalog", Catalog(desk).look, "/live/catalog"),
        Shown("/catalog/{item_id}", ItemPage(desk).look),
        Given("/catalog/{item_id}/files/{blob_id}", Files(desk).give),
    ]
