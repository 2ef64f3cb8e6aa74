"""The operator's list decides what a tenant may name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Code, Fatal
from windrow.vault import Grants, Reference
from windrow.vault.grants import ground, matches

LIST = Grants.parse(
    [
        "env:GITHUB_*",
        "file:/etc/windrow/secrets/{tenant}/*",
        "aws-sm:windrow/{tenant}/*",
        "acme=env:ACME_TOKEN",
    ]
)


@pytest.mark.parametrize(
    ("tenant", "reference"),
    [
        ("acme", "env:GITHUB_TOKEN"),
        ("other", "env:GITHUB_TOKEN"),
        ("acme", "env:ACME_TOKEN"),
        ("acme", "file:/etc/windrow/secrets/acme/token"),
        ("acme", "file:/etc/windrow/secrets/acme/token.json#password"),
        ("other", "aws-sm:windrow/other/github"),
    ],
)
def test_what_is_listed_is_permitted(tenant: str, reference: str) -> None:
    assert LIST.permit(Reference.parse(reference), tenant).tenant_id == tenant


@pytest.mark.req("HV-3")
@pytest.mark.parametrize(
    ("tenant", "reference"),
    [
        ("acme", "env:WINDROW_DATABASE_URL"),
        ("acme", "env:github_token"),
        ("acme", "env:XGITHUB_TOKEN"),
        ("other", "env:ACME_TOKEN"),
        ("other", "file:/etc/windrow/secrets/acme/token"),
        ("acme", "file:/etc/windrow/secrets/acme/deeper/token"),
        ("acme", "file:/etc/windrow/secrets/acme"),
        ("acme", "file:/etc/shadow"),
        ("acme", "aws-sm:windrow/other/github"),
        ("acme", "aws-sm:windrow/acme/a/b"),
        ("acme", "aws-sm:/etc/windrow/secrets/acme/token"),
        ("acme", "vault:windrow/acme/github"),
    ],
)
def test_what_is_not_listed_is_forbidden(tenant: str, reference: str) -> None:
    with pytest.raises(Fatal) as raised:
        LIST.permit(Reference.parse(reference), tenant)

    assert raised.value.code is Code.FORBIDDEN
    assert reference in raised.value.message
    assert "WINDROW_CREDENTIALS_ALLOWED" in str(raised.value.hint)


def test_an_empty_list_permits_nothing() -> None:
    with pytest.raises(Fatal):
        Grants.parse([]).permit(Reference.parse("env:A"), "acme")


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("GITHUB_*", "SCHEME:PATTERN"),
        ("env:", "SCHEME:PATTERN"),
        ("env:A B", "SCHEME:PATTERN"),
        ("env:A?", "only *"),
        ("env:[AB]", "only *"),
        ("env:{project}_A", "only *"),
        ("file:/etc/**", "only *"),
        ("file:/etc/a#b", "only *"),
        ("env:{tenant}_*", "other tenants"),
        ("file:/srv/*-{tenant}/token", "other tenants"),
        ("file:secrets/*", "no credential"),
        ("file:/etc/../*", "no credential"),
        ("env:A-*", "no credential"),
        ("Not A Tenant=env:A", "is not a name"),
        ("-acme=env:A", "is not a name"),
    ],
)
def test_a_pattern_that_cannot_mean_what_it_seems_to_is_refused(word: str, reason: str) -> None:
    with pytest.raises(Fatal, match="malformed") as raised:
        Grants.parse([word])

    assert raised.value.code is Code.CONFIGURATION
    assert reason in raised.value.message


@pytest.mark.parametrize(
    ("pattern", "directory"),
    [
        ("/etc/secrets/acme/*", "/etc/secrets/acme"),
        ("/etc/secrets/token", "/etc/secrets"),
        ("/srv/*/secrets/token", "/srv"),
        ("/*", "/"),
        ("/*/token", "/"),
    ],
)
def test_the_ground_is_the_directory_that_the_operator_spelled_out(pattern: str, directory: str) -> None:
    assert ground(pattern) == directory


_SEGMENT = st.text("ab*", min_size=1, max_size=6)


@given(
    st.lists(_SEGMENT, min_size=1, max_size=4), st.lists(st.text("ab", min_size=1, max_size=6), min_size=1, max_size=4)
)
def test_a_star_never_crosses_a_slash(pattern: list[str], name: list[str]) -> None:
    if matches("/".join(pattern), "/".join(name)):
        assert len(pattern) == len(name)


def test_a_pattern_of_many_stars_is_matched_in_no_time() -> None:
    assert not matches("*a" * 40 + "b", "a" * 2000)
