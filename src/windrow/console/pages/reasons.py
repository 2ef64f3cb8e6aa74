"""Why somebody does something, as a form says it."""

from windrow.console.session import Visit
from windrow.contracts.errors import Code, ValidationFailure

LONGEST_REASON = 1000


def reason_of(visit: Visit) -> str | None:
    """For the audit trail; None where nothing is said."""
    reason = visit.form.get("reason", "")
    if len(reason) > LONGEST_REASON:
        raise ValidationFailure(
            "the reason is too long", code=Code.INVALID_VALUE, hint=f"at most {LONGEST_REASON} characters"
        )
    return reason or None
