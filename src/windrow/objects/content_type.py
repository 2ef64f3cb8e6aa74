"""What kind of bytes an object holds."""

import re

from windrow.contracts.errors import Code, ValidationFailure

OCTETS = "application/octet-stream"
_SHAPE = re.compile(r"[\w.+-]+/[\w.+-]+(?: *; *[\w.+-]+=(?:[\w.+:-]+|\"[ !#-\[\]-~]*\"))*", re.ASCII)


def checked_content_type(content_type: str) -> str:
    """The content type, if it can stand in a header as it is."""
    if len(content_type) > 200 or not _SHAPE.fullmatch(content_type):
        raise ValidationFailure(
            f"{content_type[:80]!r} is not a content type", code=Code.CONTENT_TYPE, hint="write one such as video/mp4"
        )
    return content_type
