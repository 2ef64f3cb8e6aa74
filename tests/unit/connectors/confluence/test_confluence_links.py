"""Where a next link may lead."""

from typing import Any

import pytest

from windrow.connectors.confluence.links import following
from windrow.contracts.errors import ValidationFailure

BASE = "https://acme.atlassian.net/wiki"
ASKED = "api/v2/pages?limit=50"


@pytest.mark.parametrize(
    "link",
    [
        "/wiki/api/v2/pages?cursor=abc%3D&limit=50&sort=id",
        "/api/v2/pages?cursor=abc%3D&limit=50&sort=id",
        "https://acme.atlassian.net/wiki/api/v2/pages?cursor=abc%3D&limit=50&sort=id",
    ],
)
def test_the_whole_link_is_kept_below_our_own_base_url(link: str) -> None:
    assert following(link, asked=ASKED, base_url=BASE) == "api/v2/pages?cursor=abc%3D&limit=50&sort=id"


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/wiki/api/v2/pages?cursor=abc",
        "//evil.example/wiki/api/v2/pages?cursor=abc",
        "http://acme.atlassian.net/wiki/api/v2/pages?cursor=abc",
        "https://acme.atlassian.net:8443/wiki/api/v2/pages?cursor=abc",
        "https://ada:secret@acme.atlassian.net/wiki/api/v2/pages?cursor=abc",
        "/wiki/api/v2/users?cursor=abc",
        "/wiki/api/v2/xpages?cursor=abc",
        "/wiki/api/v2/pages",
        "/wiki/api/v2/pages?cursor=a\nb",
        "https://[broken/api/v2/pages?cursor=abc",
        "x" * 20_000,
        {"href": "/wiki/api/v2/pages?cursor=abc"},
        7,
    ],
)
def test_a_link_that_leads_elsewhere_is_refused(link: Any) -> None:
    with pytest.raises(ValidationFailure, match="leads elsewhere"):
        following(link, asked=ASKED, base_url=BASE)


@pytest.mark.parametrize("link", [None, ""])
def test_no_link_is_the_end(link: Any) -> None:
    assert following(link, asked=ASKED, base_url=BASE) is None
