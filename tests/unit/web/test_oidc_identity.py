"""Who somebody is, by their claims; and what an issuer may say of itself."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.contracts.scope import Scope
from windrow.web.oidc import Claims, Reading, TokenRefused, identified
from windrow.web.oidc.claims import told_further
from windrow.web.oidc.discovery import described_at, provider_of
from windrow.web.principal import Role, highest

ISSUER = "https://id.example/realms/acme"
PLACE = {"tenant_id": "acme", "project_id": "main"}


def claims(email: str | None = None, **said: Any) -> Claims:
    return Claims(ISSUER, "sub-1", email, 0, 0, said)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"roles": ["reader", "admin"]}, "roles"),
        ({"roles": "admin reader"}, "roles"),
        ({"realm_access": {"roles": ["admin", "reader", 7, None]}}, "realm_access.roles"),
        ({"resource_access": {"win.drow": {"roles": ["admin", "reader"]}}}, "resource_access.win.drow.roles"),
        ({"https://windrow.example/roles": ["admin", "reader"]}, "https://windrow.example/roles"),
    ],
)
def test_roles_are_read_where_the_issuer_writes_them(said: dict[str, Any], name: str) -> None:
    person = identified(claims(**PLACE, **said), Reading(roles=name))

    assert set(person.roles) == {Role.READER, Role.ADMIN}
    assert highest(person.roles) is Role.ADMIN


@pytest.mark.parametrize("roles", [None, 7, True, {}, {"admin": True}, [["admin"]], "ADMIN", "admins", [" admin"], []])
def test_roles_that_mean_nothing_are_none(roles: Any) -> None:
    assert identified(claims(**PLACE, roles=roles), Reading()).roles == ()


def test_the_issuers_own_names_stand_for_ours_and_ours_for_nothing_then() -> None:
    reading = Reading(roles_by_name={"Windrow.Write": Role.WRITER}, operators="Windrow.Operate")

    person = identified(claims(**PLACE, roles=["Windrow.Write", "Windrow.Operate", "admin"]), reading)

    assert (person.roles, person.operator) == ((Role.WRITER,), True)
    assert not identified(claims(**PLACE, roles=["Windrow.Operate"]), Reading()).operator


@pytest.mark.parametrize(
    ("reading", "said", "lacks"),
    [
        (Reading(), {**PLACE, "roles": []}, False),
        (Reading(), PLACE, True),
        (Reading(), {"roles": ["admin"]}, True),
        (Reading(in_tenant="acme", in_project="main"), {"roles": ["admin"]}, False),
        (Reading(roles="realm_access.roles"), {**PLACE, "realm_access": {}}, True),
        (Reading(subject="upn"), {**PLACE, "roles": []}, True),
    ],
)
def test_it_is_known_what_a_token_leaves_open(reading: Reading, said: dict[str, Any], lacks: bool) -> None:
    assert reading.lacks(said) is lacks


@pytest.mark.parametrize(
    ("in_token", "beside", "email"),
    [
        ({}, {"email": "a@b.example", "email_verified": True}, "a@b.example"),
        ({}, {"email": "a@b.example"}, None),
        # whether one e-mail is verified says nothing of another
        ({"email": "boss@b.example"}, {"email": "a@b.example", "email_verified": True}, None),
        ({"email": "boss@b.example"}, {"email_verified": True}, None),
        ({"email_verified": True}, {"email": "boss@b.example"}, None),
    ],
)
def test_an_e_mail_is_verified_by_whoever_says_it(
    in_token: dict[str, Any], beside: dict[str, Any], email: str | None
) -> None:
    token = Claims(ISSUER, "sub-1", None, 0, 0, in_token)
    further = told_further(token, {"sub": "sub-1", **beside})

    assert further.email == email


_NO_NAME = st.text().filter(lambda text: not re.fullmatch(r"[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?", text))


@given(st.one_of(st.none(), st.integers(), st.booleans(), _NO_NAME, st.lists(st.just("acme")), st.just("../acme")))
def test_a_place_that_is_no_name_is_nobodys(name: Any) -> None:
    for place in ({**PLACE, "tenant_id": name}, {**PLACE, "project_id": name}):
        with pytest.raises(TokenRefused) as refused:
            identified(claims(**place), Reading())

        assert (refused.value.status, refused.value.flaw) == (401, "scope")


def test_where_the_issuer_knows_no_tenants_everybody_belongs_to_one() -> None:
    reading = Reading(tenant="tid", in_project="default")

    assert identified(claims(tid="72f988bf-86f1"), reading).scope == Scope("72f988bf-86f1", "default")


@pytest.mark.parametrize(
    ("reading", "said", "email", "name"),
    [
        (Reading(), {}, "anna@acme.example", "anna@acme.example"),
        (Reading(), {}, None, "sub-1"),
        (Reading(subject="upn"), {"upn": "anna"}, "other@acme.example", "anna"),
        (Reading(subject="upn"), {}, "other@acme.example", "sub-1"),
        (Reading(subject="upn"), {"upn": "an\nna"}, None, "sub-1"),
        (Reading(subject="upn"), {"upn": " "}, None, "sub-1"),
        (Reading(subject="upn"), {"upn": "x" * 256}, None, "sub-1"),
        (Reading(subject="upn"), {"upn": ["anna"]}, None, "sub-1"),
    ],
)
def test_people_are_called_by_what_can_stand_in_one_line(
    reading: Reading, said: dict[str, Any], email: str | None, name: str
) -> None:
    assert identified(claims(email, **PLACE, **said), reading).subject == name


DESCRIBED: dict[str, Any] = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/certs",
}


def test_an_issuer_that_does_not_say_how_takes_secrets_by_basic() -> None:
    found = provider_of(json.dumps(DESCRIBED).encode(), ISSUER)

    assert (found.proofs, found.signs_answers) == ({"client_secret_basic"}, False)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({}, {"RS256"}),
        (
            {"id_token_signing_alg_values_supported": ["ES256", "none", "HS256", "RS512", "EdDSA", 7]},
            {"ES256", "EdDSA"},
        ),
        ({"id_token_signing_alg_values_supported": ["none"]}, set()),
        ({"id_token_signing_alg_values_supported": "RS256"}, set()),
    ],
)
def test_what_an_issuer_signs_with_is_of_our_list_alone(said: dict[str, Any], taken: set[str]) -> None:
    assert provider_of(json.dumps(DESCRIBED | said).encode(), ISSUER).algorithms == taken


@pytest.mark.parametrize("name", ["userinfo_endpoint", "end_session_endpoint"])
def test_what_can_be_done_without_is_where_it_cannot_be_trusted(name: str) -> None:
    for address in ("http://id.example/", "javascript:alert(1)", 7, None):
        found = provider_of(json.dumps(DESCRIBED | {name: address}).encode(), ISSUER)
        assert (found.people, found.ending) == (None, None)


@pytest.mark.parametrize(
    "changed",
    [
        {"issuer": ISSUER + "/"},
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"token_endpoint": "http://id.example/token"},
        {"token_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "https://user:pw@id.example/authorize"},
        {"jwks_uri": ["https://id.example"]},
    ],
)
def test_a_description_that_could_lead_elsewhere_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure, match="refused"):
        provider_of(json.dumps(DESCRIBED | changed).encode(), ISSUER)


def test_only_an_issuer_that_nobody_can_stand_in_for_is_asked() -> None:
    assert described_at("https://id.example/") == "https://id.example/.well-known/openid-configuration"
    with pytest.raises(Fatal, match="not https"):
        described_at("http://id.example")
