r"""How things are called: DATABASE, DATABASE/SCHEMA, DATABASE/SCHEMA/NAME.

By name and not by number: who drops a table and creates it again, as many tools do each night, means the same table.
Names are escaped as those of `files` are, and a slash inside of one becomes `\x2f`.
"""

from windrow.connectors.files.naming import escaped, unescaped

_SLASH = "\\x2f"


def external_id(*names: str) -> str:
    """The id of what these names lead to."""
    return "/".join(escaped(name.encode()).replace("/", _SLASH) for name in names)


def names(external_id: str) -> tuple[str, ...]:
    """The names that an id was made of."""
    return tuple(unescaped(part).decode() for part in external_id.split("/"))
