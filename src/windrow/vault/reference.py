"""What a credential is called: `env:NAME`, `file:/PATH`, `vault:MOUNT/PATH`, `aws-sm:NAME`, `gcp-sm:NAME`.

Each with `#FIELD` where it holds JSON.
"""

import re
from dataclasses import dataclass

from windrow.contracts.errors import ValidationFailure

LONGEST = 2048
HINT = "write env:NAME, file:/PATH, vault:MOUNT/PATH#FIELD, aws-sm:NAME or gcp-sm:NAME; #FIELD is for JSON objects"

_SHAPE = re.compile(r"(?P<scheme>[a-z][a-z0-9+-]{0,31}):(?P<name>[^#]+)(?:#(?P<field>[^#]{1,200}))?")
_NAMES = {
    "env": re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII),
    "file": re.compile(r"/.+"),
    "vault": re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_+=.@-]+)+", re.ASCII),
    "aws-sm": re.compile(r"[A-Za-z0-9/_+=.@:-]+", re.ASCII),
    "gcp-sm": re.compile(
        r"(?:projects/[a-z0-9.:-]+/(?:locations/[a-z0-9-]+/)?secrets/)?[A-Za-z0-9_-]{1,255}(?:/versions/[A-Za-z0-9_-]{1,63})?",
        re.ASCII,
    ),
}


@dataclass(frozen=True, slots=True)
class Reference:
    """A credential's name, taken apart. It is not a secret and may be shown."""

    scheme: str
    name: str
    field: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Reference":
        """The reference that the text spells. An error does not repeat the text: people paste the secret itself."""
        found = _SHAPE.fullmatch(text) if len(text) <= LONGEST and text.isprintable() else None
        if found is None or not proper_name(found["scheme"], found["name"]):
            raise ValidationFailure("this credential_ref is malformed (it is not repeated here)", hint=HINT)
        return cls(found["scheme"], found["name"], found["field"])

    def __str__(self) -> str:
        return f"{self.scheme}:{self.name}" + (f"#{self.field}" if self.field else "")


def proper_name(scheme: str, name: str) -> bool:
    """Whether the name can be meant by its scheme; no name of any scheme climbs or has empty segments."""
    rule = _NAMES.get(scheme)
    climbs = {"", ".", ".."}.intersection(name.removeprefix("/").split("/"))
    return not climbs and (rule is None or rule.fullmatch(name) is not None)
