"""What an address of the catalog asks for; and the addresses that ask for something a little different."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from windrow.catalog import DEEPEST, Filters, Mark
from windrow.contracts.errors import ValidationFailure

PATH = "/catalog"
LONGEST, LONGEST_WORDS = 256, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Words, filters, and behind which of the answers to go on."""

    words: str = ""
    endpoint: str | None = None
    kind: str | None = None
    label: str | None = None
    owner: str | None = None
    gone: bool = False
    after: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Question":
        """Whatever an address says means something."""
        said = {
            name: asked.get(name, "").replace("\0", "")[:LONGEST] or None for name in ("endpoint", "label", "owner")
        }
        return cls(
            words=asked.get("q", "").replace("\0", "")[:LONGEST_WORDS],
            kind=asked.get("type", "").replace("\0", "")[:LONGEST] or None,
            gone=asked.get("gone") == "yes",
            after=asked.get("after", "")[:200],
            **said,
        )

    @property
    def filters(self) -> Filters:
        return Filters(
            endpoint=self.endpoint, entity_type=self.kind, label=self.label, owner=self.owner, deleted=self.gone
        )

    @property
    def chosen(self) -> dict[str, str]:
        """The filters that narrow it, by their names, but for whether things are gone."""
        named = {"endpoint": self.endpoint, "kind": self.kind, "label": self.label, "owner": self.owner}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def skipped(self) -> int:
        """How many hits a page of a search leaves out."""
        whole = self.after.isascii() and self.after.isdecimal() and len(self.after) < 5
        return int(self.after) if whole and int(self.after) < DEEPEST else 0

    @property
    def mark(self) -> Mark | None:
        """Behind which change a page goes on; whatever is no such place is the beginning."""
        try:
            return Mark.parse(self.after) if self.after else None
        except ValidationFailure:
            return None

    @property
    def is_first(self) -> bool:
        return not self.skipped and self.mark is None

    def href(self, **other: Any) -> str:
        """The address that asks the same but for what is named; from the beginning, unless a place is named too."""
        asked = replace(self, **({"after": ""} | other))
        named = {
            "q": asked.words,
            "endpoint": asked.endpoint,
            "type": asked.kind,
            "label": asked.label,
            "owner": asked.owner,
            "gone": "yes" if asked.gone else "",
            "after": asked.after,
        }
        query = urlencode({name: value for name, value in named.items() if value})
        return f"{PATH}?{query}" if query else PATH
