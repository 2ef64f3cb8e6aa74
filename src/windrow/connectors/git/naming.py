r"""How the things of a repository are called: `file:PATH`, `commit:SHA`, `author:EMAIL`, `branch:NAME`, `tag:NAME`.

Names in git are bytes. They become text as paths do in `files`: what is no UTF-8 or no printable character is written
`\xHH`, a backslash `\\`, and of what is too long, the beginning, `\#` and a hash. All of it is unique.
"""

import hashlib

from windrow.connectors.files.naming import escaped
from windrow.connectors.git.config import Entity

LONGEST_ID = 1024
_SHOWN_OF_A_LONG_ONE = 400


def bounded(text: str, longest: int) -> str:
    """A text that was made by `escaped`, no longer than this; still unique."""
    if len(text) <= longest:
        return text
    # no backslash may stand before the mark, or it would be one that is written out
    head = text[:_SHOWN_OF_A_LONG_ONE].rstrip("\\")
    return f"{head}\\#{hashlib.sha256(text.encode()).hexdigest()}"


def external_id(entity: Entity, name: str) -> str:
    """The id of a thing whose name is text already."""
    return bounded(f"{entity}:{name}", LONGEST_ID)


def author_name(email: bytes, name: bytes) -> str:
    """What tells an author from the others: the address, and where there is none, the name.

    `<>` cannot be part of an address in a commit, so no address passes for a name.
    """
    return escaped(email.strip().lower()) if email.strip() else f"<>{escaped(name.strip())}"
