"""The examples of docs/how-to/harvest-rest.md, as the page has them, at the address of a fake."""

import re
from pathlib import Path
from typing import Any

from tests.fakes.bookish import Bookish

from windrow.connectors.rest.reading import read_definition

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "harvest-rest.md"
EXAMPLES = ("wiki", "tracker", "stock")


def example(name: str) -> str:
    """The text of one."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return dict(zip(EXAMPLES, blocks, strict=True))[name]


def config(name: str, shop: Bookish) -> dict[str, Any]:
    """What an endpoint of it says."""
    definition = read_definition(f"{name}.yaml", example(name).encode())
    at = definition.base_url.replace("http://127.0.0.1:8020", shop.base_url)
    values = {"org": "acme"} if definition.values else {}
    return {"definition": definition.model_dump(mode="json", exclude_unset=True), "base_url": at, "values": values}
