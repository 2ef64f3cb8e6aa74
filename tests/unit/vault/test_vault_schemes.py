"""What credentials of HashiCorp Vault and Google Secret Manager may be called."""

import pytest

from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.vault import Grants, Reference


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("vault:secret/acme/github#token", "token"),
        ("vault:kv-2/a.b/c_d@e", None),
        ("gcp-sm:acme-github", None),
        ("gcp-sm:acme-github/versions/7", None),
        ("gcp-sm:projects/acme-prod/secrets/github#token", "token"),
        ("gcp-sm:projects/example.com:acme/locations/europe-west3/secrets/github/versions/latest", None),
    ],
)
def test_a_reference_of_either_is_read_as_it_is_written(text: str, field: str | None) -> None:
    reference = Reference.parse(text)

    assert (str(reference), reference.field) == (text, field)


@pytest.mark.parametrize(
    "text",
    [
        "vault:github",
        "vault:/secret/github",
        "vault:secret//github",
        "vault:secret/../sys/raw",
        "vault:secret/a b",
        "vault:secret/a?version=1",
        "vault:secret/a%2fb",
        "gcp-sm:a/b",
        "gcp-sm:projects/p/secrets/s/versions/1:access",
        "gcp-sm:a.b",
        "gcp-sm:projects/../secrets/x",
        "gcp-sm:ä",
    ],
)
def test_what_neither_could_mean_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailure):
        Reference.parse(text)


def test_a_grant_of_one_tenant_opens_no_other_tenants_path() -> None:
    grants = Grants.parse(["vault:secret/{tenant}/*", "gcp-sm:{tenant}"])

    grants.permit(Reference.parse("vault:secret/acme/github#token"), "acme")
    grants.permit(Reference.parse("gcp-sm:acme"), "acme")
    for other in ("vault:secret/other/github", "vault:secret/acme/deep/er", "gcp-sm:other", "gcp-sm:acme/versions/1"):
        with pytest.raises(Fatal):
            grants.permit(Reference.parse(other), "acme")
