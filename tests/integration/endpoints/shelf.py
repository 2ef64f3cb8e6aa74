"""A source outside of Windrow, and the distribution that offers a connector for it: what the commands are tried on."""

import json
from pathlib import Path

SHELF = '''
"""A connector for a shelf: a JSON file that holds a list of books. Opened by a key."""

import json

from pydantic import BaseModel, ConfigDict

from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import ConnectorSpec, Credential
from windrow.contracts.item import Item
from windrow.contracts.page import Page


class ShelfConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    path: str
    rooms: list[str] = []
    depth: int = 1


class Shelf(Connector[ShelfConfig]):
    spec = ConnectorSpec(name="shelf", version="1", title="Shelf", source_system="shelf", config=ShelfConfig,
                         credential=Credential.REQUIRED, credential_help="The shelf's key.", path_fields=("path",))

    async def prepare(self):
        key = await self.context.credential()
        books = json.loads(self.context.permits.path(self.config.path).read_text())
        right = key is not None and key.reveal() == "open-sesame"
        return [
            Finding("shelf", True, f"{len(books)} books from {books[0]['title']} on"),
            Finding("key", right, "fits" if right else "does not fit", "ask the librarian for another"),
        ]

    async def fetch_pages(self, cursor, page_size):
        books = json.loads(self.context.permits.path(self.config.path).read_text())
        yield Page(records=books[:page_size], cursor=len(books), position="0", last=True)

    def item(self, record):
        return Item(entity_type="book", external_id=record["isbn"], display_name=record["title"])
'''

BOOKS = [{"isbn": "1", "title": "Harvest"}, {"isbn": "2", "title": "Rake"}, {"isbn": "3"}]
KEY = ("--credential-ref", "env:WINDROW_SECRET_SHELF")


def build(place: Path) -> Path:
    """A distribution below `place`, which is then to be on the path; and its shelf of two books and one without a title."""
    (place / "shelf.py").write_text(SHELF)
    offer = place / "windrow_shelf-1.dist-info"
    offer.mkdir()
    (offer / "METADATA").write_text("Metadata-Version: 2.1\nName: windrow-shelf\nVersion: 1\n")
    (offer / "entry_points.txt").write_text("[windrow.connectors]\nshelf = shelf:Shelf\n")
    (place / "books.json").write_text(json.dumps(BOOKS))
    return place / "books.json"
