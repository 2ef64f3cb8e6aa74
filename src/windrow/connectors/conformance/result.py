"""What a check finds."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """One check: its name, how it ended, what was seen, and where it failed, what the connector's author can do."""

    name: str
    verdict: Verdict
    detail: str
    hint: str | None = None


class Failed(Exception):
    """The connector does not keep what the check asks."""

    def __init__(self, detail: str, hint: str) -> None:
        super().__init__(detail)
        self.detail, self.hint = detail, hint


class Skipped(Exception):
    """The check does not apply, or was not given what it needs."""
