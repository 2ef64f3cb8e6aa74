"""Every notice names a page of the runbook, and there is such a page."""

from itertools import product
from pathlib import Path

import pytest

from windrow.contracts.errors import FAMILY, Code
from windrow.notify import Channel, Notice
from windrow.notify.runbook import page_for

ROOT = Path(__file__).parents[3]


CLASSES = [None, "somebody else's", *(member.__name__ for member in FAMILY)]
CODES = [None, "<unknown>", Code.UNAUTHORIZED, Code.CREDENTIAL_MISSING, Code.NETWORK]


def test_the_page_of_every_notice_is_there() -> None:
    told = product(Channel, CLASSES, CODES)
    pages = {page_for(Notice(channel=channel, title="x", error_class=kind, code=code)) for channel, kind, code in told}

    assert [page for page in pages if not (ROOT / page).is_file()] == []


@pytest.mark.parametrize(
    ("channel", "error_class", "code", "page"),
    [
        (Channel.PAGER, "Fatal", "UNAUTHORIZED", "alerts/runs-failing.md"),
        (Channel.SECURITY, "Fatal", "FORBIDDEN", "alerts/source-refuses-us.md"),
        (Channel.SECURITY, "Fatal", "CREDENTIAL_MISSING", "alerts/credential-unreadable.md"),
        (Channel.OPS, "RetryableTransient", "NETWORK", "classes/RetryableTransient.md"),
        (Channel.MAINTAINERS, None, None, "alerts/quarantine-rising.md"),
    ],
)
def test_it_is_the_page_of_what_happened(
    channel: Channel, error_class: str | None, code: str | None, page: str
) -> None:
    assert page_for(Notice(channel=channel, title="x", error_class=error_class, code=code)) == f"docs/runbook/{page}"
