"""What a credential may be called."""

import contextlib
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import ValidationFailure
from windrow.vault import Reference

PASTED = "ghp_pastedByMistake0123456789"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("env:GITHUB_TOKEN", ("env", "GITHUB_TOKEN", None)),
        ("env:SERVICE#password", ("env", "SERVICE", "password")),
        ("file:/etc/windrow/secrets/acme/token", ("file", "/etc/windrow/secrets/acme/token", None)),
        ("file:/run/my secrets/a.json#api key", ("file", "/run/my secrets/a.json", "api key")),
        ("aws-sm:windrow/acme/github", ("aws-sm", "windrow/acme/github", None)),
        (
            "aws-sm:arn:aws:secretsmanager:eu-west-1:1:secret:x-AbCdEf#t",
            ("aws-sm", "arn:aws:secretsmanager:eu-west-1:1:secret:x-AbCdEf", "t"),
        ),
        ("later:anything", ("later", "anything", None)),
    ],
)
def test_a_reference_is_a_scheme_a_name_and_perhaps_a_field(text: str, parts: tuple[str, str, str | None]) -> None:
    reference = Reference.parse(text)

    assert (reference.scheme, reference.name, reference.field) == parts
    assert str(reference) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "env:",
        "GITHUB_TOKEN",
        ":x",
        "ENV:X",
        "env:1X",
        "env:A-B",
        "env:A B",
        "env:A\nB",
        "env:A\x00",
        "env:A=B",
        "env:Ä",
        "file:relative/path",
        "file:~/token",
        "file:///etc/passwd",
        "file:/etc//passwd",
        "file:/etc/../etc/shadow",
        "file:/etc/./shadow",
        "file:/etc/secrets/",
        "file:/",
        "file:/a#",
        "file:/a#b#c",
        "aws-sm:a b",
        "aws-sm:a/../b",
        "aws-sm:/a//b",
        "later:../x",
        "env:" + "A" * 3000,
    ],
)
def test_a_malformed_reference_is_refused_with_the_right_forms_as_a_hint(text: str) -> None:
    with pytest.raises(ValidationFailure) as raised:
        Reference.parse(text)

    assert "env:NAME" in str(raised.value.hint)


@pytest.mark.req("HV-40")
def test_a_secret_pasted_in_place_of_a_reference_is_not_repeated() -> None:
    with pytest.raises(ValidationFailure) as raised:
        Reference.parse(PASTED)

    assert PASTED not in "".join(traceback.format_exception(raised.value))


@given(st.text())
def test_any_text_is_a_reference_that_spells_itself_or_malformed(text: str) -> None:
    with contextlib.suppress(ValidationFailure):
        assert str(Reference.parse(text)) == text
