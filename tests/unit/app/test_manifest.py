"""A file of endpoints: read as its author meant it, or refused with every fault and its line."""

import textwrap
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.app.manifest import ManifestRefused, read_manifest
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint

ACME = Scope("acme", "main")
CANARY = "ghp_CaNaRy0123456789012345678"


def declared(text: str) -> tuple[Endpoint, ...]:
    return read_manifest("endpoints.yaml", textwrap.dedent(text).encode(), ACME).endpoints


def faults(text: str) -> list[str]:
    """Every fault, as `line: about: reason`."""
    with pytest.raises(ManifestRefused) as refused:
        declared(text)
    return [str(finding).removeprefix("endpoints.yaml:") for finding in refused.value.findings]


def test_endpoints_are_read_in_the_order_of_their_names() -> None:
    (handbook, shares) = declared(
        """\
        endpoints:
          shares:
            connector: files
            config: {path: /srv/shares}
          handbook:
            connector: git
            config:
              path: /srv/handbook
            credential_ref: env:WINDROW_SECRET_GIT
            schedule: "@Hourly"
            page_size: 200
        """
    )

    assert shares == Endpoint(scope=ACME, endpoint_id="shares", connector="files", config={"path": "/srv/shares"})
    assert handbook.config == {"path": "/srv/handbook"}
    assert (handbook.credential_ref, handbook.page_size) == ("env:WINDROW_SECRET_GIT", 200)
    assert handbook.schedule == "@hourly"  # as it would be stored, so that it compares


def test_what_is_null_was_not_said() -> None:
    (only,) = declared("endpoints: {a: {connector: files, config: {path: /x}, schedule: ~, page_size: null}}")

    assert (only.schedule, only.page_size) == (None, None)


def test_no_endpoints_have_to_be_said_so() -> None:
    assert declared("endpoints: {}") == ()
    for silent in ("", "endpoints:", "[]", "7"):
        assert faults(silent)


def test_every_fault_is_told_with_its_line() -> None:
    told = faults(
        """\
        endpoints:
          Hand Book:
            connector: files
            config: {path: /x}
          typo:
            connector: gti
            shedule: 1h
          wiki:
            connector: files
            config:
              path: srv
              includ: "*"
            schedule: every now and then
            page_size: 7
            credential_ref: env:WINDROW_SECRET_X
          kinds:
            connector: 7
            page_size: "100"
            config: []
          nothing: 7
          nobody:
            config: {}
        others: {}
        """
    )

    def at(line: int) -> str:
        return "\n".join(one for one in told if one.startswith(f"{line}: "))

    assert "is not a name" in at(2)
    assert "did you mean git?" in at(6)
    assert "did you mean schedule?" in at(7)
    assert "absolute path" in at(11)
    assert "did you mean include?" in at(12)
    assert "wiki.schedule: the schedule is refused" in at(13)
    assert "wiki.page_size" in at(14)
    assert "takes no credential" in at(15)
    assert "a text is due" in at(17)
    assert "a whole number is due" in at(18)
    assert "a mapping is due" in at(19)
    assert "a mapping is due" in at(20)
    assert "connector is missing" in at(21)
    assert "is not known" in at(23)
    assert len(told) == 15, told


@pytest.mark.req("HV-3")
@pytest.mark.parametrize(
    "text",
    [
        f"endpoints: {{a: {{connector: files, config: {{path: /x, token: {CANARY}}}}}}}",
        f"endpoints: {{a: {{connector: files, config: {{path: '/x/{CANARY}'}}}}}}",
        f"endpoints: {{a: {{connector: files, config: {{path: /x, {CANARY}: 1}}}}}}",
        f"endpoints: {{a: {{connector: git, config: {{path: /x}}, credential_ref: {CANARY}}}}}",
        f"endpoints: {{a: {{connector: git, config: {{path: /x}}, credential_ref: 'env:{CANARY}'}}}}",
        f"endpoints: {{a: {{connector: git, config: {{path: /x}}, schedule: {CANARY}}}}}",
        f"endpoints: {{a: {{connector: {CANARY}}}}}",
        f"endpoints: {{a: {{connector: git, {CANARY}: 1}}}}",
        f"endpoints: {{{CANARY}: {{connector: git}}}}",
        f"endpoints: {{{CANARY}: 1, {CANARY}: 2}}",
        f"endpoints: &{CANARY} {{}}",
        f"{CANARY}: {{}}",
        f"endpoints: {{a: {{connector: git, config: {{path: 'https://me:{CANARY}@host/x'}}}}}}",
    ],
)
def test_a_secret_is_refused_and_not_repeated(text: str) -> None:
    told = "\n".join(faults(text))

    assert CANARY not in told


def test_a_secret_is_told_with_the_line_of_its_field_and_where_to_keep_it() -> None:
    told = faults(
        f"endpoints:\n  a:\n    connector: files\n    config:\n      include: ['*']\n      path: /x/{CANARY}\n"
    )

    assert len(told) == 1
    assert told[0].startswith("6: endpoints.a.config.path: would be a secret in clear: name where it is kept")


def test_a_key_that_is_there_twice_is_told_with_the_other_faults() -> None:
    told = faults("endpoints:\n  a: {connector: gti}\n  b: {connector: files}\n  b: {connector: git}\n")

    assert [one.split(":")[0] for one in told] == ["2", "3", "4"]


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"endpoints: {text}".encode("utf-8", "replace"))
)
def test_whatever_the_file_holds_it_is_read_or_refused(content: bytes) -> None:
    with suppress(ManifestRefused):
        assert all(isinstance(each, Endpoint) for each in read_manifest("endpoints.yaml", content, ACME).endpoints)
