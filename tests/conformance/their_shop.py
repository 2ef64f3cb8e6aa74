"""A distribution of somebody else's: a connector that talks too much, and one that is not all there."""

from pathlib import Path

MODULE = """
from pydantic import BaseModel, ConfigDict, Field
from windrow.connectors.connector import Connector, Finding
from windrow.connectors.spec import ConnectorSpec, Credential
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.page import Page

class Config(BaseModel):
    model_config = ConfigDict(extra="forbid")
    street: str = Field(description="Where it stands.")

class Talker(Connector):
    spec = ConnectorSpec(
        name="talker", version="1", title="A shop", source_system="shop", config=Config,
        credential=Credential.REQUIRED, credential_help="The key of the shop.",
    )
    async def prepare(self):
        key = await self.context.credential()
        return [Finding("shop", True, f"opened with {key.reveal()}")]
    async def fetch_pages(self, cursor, page_size):
        async def call(): return Page(records=[], cursor=1, position="here", last=True)
        yield await ExecutionTool("talker", self.context).call("look", call)
"""


def install(directory: Path) -> None:
    """As an installer leaves it."""
    (directory / "their_shop.py").write_text(MODULE)
    about = directory / "their_shop-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-shop\nVersion: 2.0\n")
    entries = "[windrow.connectors]\ntalker = their_shop:Talker\nlost = their_shop.lost:Lost\n"
    (about / "entry_points.txt").write_text(entries)
