"""A notice: what people are told, through which channel. It is cut and cleaned, never refused: an alarm must go out."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.telemetry import redact

# what Slack shows of a header, and of a section
LONGEST_TITLE, LONGEST_TEXT, LONGEST_WORD = 150, 2500, 500


class Channel(StrEnum):
    """Who is told."""

    SECURITY = "security"
    OPS = "ops"
    PAGER = "pager"
    MAINTAINERS = "maintainers"


class Severity(StrEnum):
    """How much it matters."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What happened, to what, and what a person can do. Whose it is, is the tenant of the transaction that tells it.

    Notices of one channel with the same `dedupe_key` are one notice.
    """

    channel: Channel
    title: str
    text: str = ""
    severity: Severity = Severity.WARNING
    project_id: str | None = None
    endpoint_id: str | None = None
    run_id: str | None = None
    error_class: str | None = None
    code: str | None = None
    hint: str | None = None
    dedupe_key: str | None = None

    @property
    def subject(self) -> str:
        """What it is about: notices of one subject arrive in order, and wait for no other's."""
        about = "/".join(part for part in (self.project_id, self.endpoint_id) if part)
        return _line(about, LONGEST_WORD) or "tenant"

    def document(self) -> dict[str, Any]:
        """As it is kept: without secrets, within bounds, in characters that Postgres and JSON can hold."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        texts = {"title": _line(self.title, LONGEST_TITLE), "text": _clean(self.text, LONGEST_TEXT)}
        words = ("project_id", "endpoint_id", "run_id", "error_class", "code", "hint", "dedupe_key")
        return said | texts | {name: _line(said[name], LONGEST_WORD) for name in words if name in said}


def opened(document: Any) -> Notice:
    """The notice that was kept; fields that a newer Windrow has added are passed over."""
    try:
        return msgspec.convert(document, Notice)
    except msgspec.ValidationError as error:
        raise ValidationFailure(
            f"the message is no notice: {error}",
            code=Code.INVALID_VALUE,
            hint="`windrow notify test` writes one; nothing else should be published on these topics",
        ) from None


def _line(text: str, longest: int) -> str:
    return _clean(" ".join(str(text).split()), longest)


def _clean(text: str, longest: int) -> str:
    # first blanked, then cut: half of a secret is not recognised any more
    safe = redact(text).replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return safe if len(safe) <= longest else safe[: longest - 1] + "…"
