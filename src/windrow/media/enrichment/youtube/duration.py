"""ISO 8601 durations, as YouTube writes the length of a video: `PT15M51S`, `P1DT2H`, and `P0D` for what has none yet. Pure."""

import re

_NUMBER = r"(\d{1,9}(?:[.,]\d{1,9})?)"
_SHAPE = re.compile(
    rf"P(?:{_NUMBER}W|(?:{_NUMBER}D)?(?:T(?=\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?)", re.ASCII
)
_SECONDS = (7 * 86_400, 86_400, 3_600, 60, 1)
# what a broadcast that is running, or still to come, is said to last
ENDLESS = "P0D"


def seconds(text: str) -> float | None:
    """How long it is; None for `P0D`. Raises ValueError for what is no duration of weeks, days, hours, minutes and seconds.

    Years and months have no fixed length. Only the last part may have a fraction, as the standard says.
    """
    written = _SHAPE.fullmatch(text)
    parts = [(part, each) for part, each in zip(written.groups(), _SECONDS, strict=True) if part] if written else []
    if not parts or any(not part.isdigit() for part, _ in parts[:-1]):
        raise ValueError(f"{text[:40]!r} is no duration")
    return None if text == ENDLESS else sum(float(part.replace(",", ".")) * each for part, each in parts)
