"""What an object may be called. Checked by us, because stores differ in what they quietly make of an odd key."""

import re

from windrow.contracts.errors import Code, Fatal, ValidationFailure

# where a store keeps what is about itself; no tenant has a name like that
OWN = ".store"
LONGEST_KEY = 900
LONGEST_SEGMENT = 200
# buckets allow names of 1024 bytes; 900 are the key's and 64 the tenant's
LONGEST_BUCKET_PREFIX = 58

# U+FFFE and U+FFFF cannot be written in the XML of an S3 listing; lone surrogates not even in UTF-8
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def checked_key(key: str) -> str:
    """The key, if it is relative, `/`-separated, and names the same thing in every store."""
    if reason := fault(key):
        raise ValidationFailure(
            f"the object key {key[:80]!r} {reason}",
            code=Code.INVALID_KEY,
            hint="write segments of up to 200 bytes with single slashes between them, such as results/42/clip.mp4",
        )
    return key


def checked_prefix(prefix: str) -> str:
    """A folder to list: empty for everything, else whole segments, with or without a slash at its end."""
    return checked_key(prefix.removesuffix("/")) if prefix else prefix


def checked_bucket_prefix(prefix: str) -> str:
    """The folder of a bucket that the operator has given us, if every key finds room below it."""
    try:
        checked = checked_prefix(prefix)
    except ValidationFailure as error:
        raise Fatal(f"the prefix of the bucket: {error.message}", code=Code.CONFIGURATION, hint=error.hint) from error
    if len(checked.encode()) > LONGEST_BUCKET_PREFIX:
        raise Fatal(
            f"the prefix of the bucket is longer than {LONGEST_BUCKET_PREFIX} bytes",
            code=Code.CONFIGURATION,
            hint="a bucket allows names of 1024 bytes, and 900 of them are for keys: choose a shorter prefix",
        )
    return checked


def joined(*parts: str) -> str:
    """One path of several; an empty part is none."""
    return "/".join(filter(None, parts))


def fault(key: str) -> str | None:
    """The rule that the key breaks, if any."""
    if not key:
        return "is empty"
    if _UNPRINTABLE.search(key):
        return "has a control character or one that cannot be written"
    if "\\" in key:
        return "has a backslash"
    if key.startswith("/") or key.endswith("/"):
        return "begins or ends with a slash"
    if len(key.encode()) > LONGEST_KEY:
        return f"is longer than {LONGEST_KEY} bytes"
    return next(filter(None, map(_segment_fault, key.split("/"))), None)


def _segment_fault(segment: str) -> str | None:
    if not segment:
        return "has an empty segment"
    if segment in (".", ".."):
        return f"has the segment {segment!r}"
    if len(segment.encode()) > LONGEST_SEGMENT:
        return f"has a segment longer than {LONGEST_SEGMENT} bytes"
    return None
