"""Which page of the runbook a notice is about: what to look at, and what to do."""

from windrow.contracts.errors import FAMILY, Code
from windrow.notify.notice import Channel, Notice

FOLDER = "docs/runbook"
_BY_CODE = {
    Code.CREDENTIAL_MISSING: "alerts/credential-unreadable.md",
    Code.UNAUTHORIZED: "alerts/source-refuses-us.md",
    Code.FORBIDDEN: "alerts/source-refuses-us.md",
}
_CLASSES = frozenset(member.__name__ for member in FAMILY)


def page_for(notice: Notice) -> str:
    """Its path. Of a failed run that of its code, or of its class; of refused records, and of a page, their own."""
    return f"{FOLDER}/{_page(notice)}"


def _page(notice: Notice) -> str:
    if notice.channel is Channel.PAGER:
        return "alerts/runs-failing.md"
    if notice.code in _BY_CODE:
        return _BY_CODE[Code(notice.code)]
    if notice.error_class in _CLASSES:
        return f"classes/{notice.error_class}.md"
    return "alerts/quarantine-rising.md" if notice.channel is Channel.MAINTAINERS else "README.md"
