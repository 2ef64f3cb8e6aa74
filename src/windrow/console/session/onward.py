"""Where to go on to after the login: only to a page of ours."""

import re

HOME = "/"
# one slash, since browsers take two for another host, and a backslash for a slash; no control characters, which they drop
_OURS = re.compile(r"/(?![/\\])[A-Za-z0-9._~!$&'()*+,;=:@%/?-]{0,500}", re.ASCII)


def onward(asked: str | None) -> str:
    """The address, if it is one of ours; else home."""
    return asked if asked and _OURS.fullmatch(asked) else HOME
