"""URIs by RFC 3986: what may stand where."""

import re

# longer than any server takes; the grammar of a megabyte would take most of a second to check
LONGEST = 8192

_ESCAPE = r"%[0-9A-Fa-f]{2}"
_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;="
_SEGMENT = rf"(?:[{_PLAIN}:@]|{_ESCAPE})"
_HOST = rf"(?:\[[0-9A-Za-z:.!$&'()*+,;=~_\-]+\]|(?:[{_PLAIN}]|{_ESCAPE})*)"
_AUTHORITY = rf"//(?:(?:[{_PLAIN}:]|{_ESCAPE})*@)?{_HOST}(?::[0-9]*)?(?:/{_SEGMENT}*)*"
_ROOTED = rf"/(?:{_SEGMENT}+(?:/{_SEGMENT}*)*)?"
_ROOTLESS = rf"{_SEGMENT}+(?:/{_SEGMENT}*)*"
# without a scheme, a colon in the first segment would make one
_NO_SCHEME = rf"(?:[{_PLAIN}@]|{_ESCAPE})+(?:/{_SEGMENT}*)*"
_QUERY = rf"(?:\?(?:{_SEGMENT}|[/?])*)?"
_FRAGMENT = rf"(?:#(?:{_SEGMENT}|[/?])*)?"

_ABSOLUTE = rf"[A-Za-z][A-Za-z0-9+.-]*:(?:{_AUTHORITY}|{_ROOTED}|{_ROOTLESS})?{_QUERY}"
_RELATIVE = rf"(?:{_AUTHORITY}|{_ROOTED}|{_NO_SCHEME})?{_QUERY}"

_ABSOLUTE_URI = re.compile(_ABSOLUTE, re.ASCII)
_REFERENCE = re.compile(rf"(?:{_ABSOLUTE}|{_RELATIVE}){_FRAGMENT}", re.ASCII)


def is_absolute(text: str) -> bool:
    """Whether it has a scheme, and no fragment."""
    return len(text) <= LONGEST and _ABSOLUTE_URI.fullmatch(text) is not None


def is_reference(text: str) -> bool:
    """Whether it is a URI, or the part of one that another completes."""
    return len(text) <= LONGEST and _REFERENCE.fullmatch(text) is not None
