"""Settings: read once, by either name, and wrong ones told together."""

import pytest
from pydantic import ValidationError

from windrow.contracts.errors import Code, Fatal
from windrow.settings import Settings, read, unknown


def test_a_setting_is_read_by_its_prefixed_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_TENANT", "acme")

    assert read().tenant == "acme"


def test_a_setting_that_a_seed_names_is_read_by_the_bare_name_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHUTDOWN_TIMEOUT_SEC", "7")
    assert read().shutdown_timeout_sec == 7

    monkeypatch.setenv("WINDROW_SHUTDOWN_TIMEOUT_SEC", "9")
    assert read().shutdown_timeout_sec == 9


def test_all_wrong_settings_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_TENANT", "Not A Name")
    monkeypatch.setenv("WINDROW_POSTGRES_PORT", "99999")

    with pytest.raises(Fatal) as caught:
        read()

    assert caught.value.code is Code.CONFIGURATION
    assert "WINDROW_TENANT" in caught.value.message
    assert "WINDROW_POSTGRES_PORT" in caught.value.message


def test_settings_cannot_be_changed_after_they_were_read() -> None:
    with pytest.raises(ValidationError):
        read().tenant = "other"  # type: ignore[misc]


def test_a_database_url_does_not_print_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_DATABASE_URL", "postgresql://me:hunter22@db/x")

    assert "hunter22" not in repr(read())
    assert "hunter22" not in read().model_dump_json()


def test_lists_are_words_between_spaces_or_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_ADDRESSES_ALLOWED", "10.0.0.0/8, db.local:5432")

    assert read().addresses_allowed == ("10.0.0.0/8", "db.local:5432")


def test_a_misspelt_setting_is_found_with_what_was_probably_meant() -> None:
    strays = {
        "WINDROW_TENNANT": "x",
        "WINDROW_ZZZZZZ": "x",
        "WINDROW_SECRET_TOKEN": "x",
        "WINDROW_TENANT": "x",
        "PATH": "x",
    }

    assert unknown(strays) == {"WINDROW_TENNANT": "WINDROW_TENANT", "WINDROW_ZZZZZZ": None}


def test_every_setting_says_what_it_is_for() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
