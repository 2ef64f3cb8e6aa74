"""A notice is cut and cleaned, and never refused: an alarm must go out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import ValidationFailure
from windrow.messages.content import payload_text
from windrow.notify.notice import LONGEST_TEXT, LONGEST_TITLE, Channel, Notice, Severity, opened
from windrow.vault import Secret


@given(title=st.text(), text=st.text(), hint=st.none() | st.text(), endpoint=st.none() | st.text())
def test_whatever_it_says_it_can_be_published_and_read_again(
    title: str, text: str, hint: str | None, endpoint: str | None
) -> None:
    notice = Notice(channel=Channel.OPS, title=title, text=text, hint=hint, endpoint_id=endpoint)

    again = opened(json.loads(payload_text(notice.document())))

    assert (again.channel, again.severity) == (Channel.OPS, Severity.WARNING)
    assert (again.hint is None) == (hint is None)


def test_what_postgres_cannot_hold_is_replaced_and_what_is_endless_is_cut() -> None:
    document = Notice(channel=Channel.OPS, title="a\n b\0\ud800" + "x" * 999, text="y" * 9999).document()

    assert document["title"].startswith("a b�?x")
    assert len(document["title"]) == LONGEST_TITLE
    assert len(document["text"]) == LONGEST_TEXT
    assert document["text"].endswith("…")


def test_a_secret_in_it_is_blanked_before_it_is_cut() -> None:
    secret = Secret("hush-hush-hush-hush")
    document = Notice(channel=Channel.OPS, title="t", text="x" * (LONGEST_TEXT - 8) + secret.reveal()).document()

    assert "hush" not in document["text"]


def test_a_message_that_is_no_notice_is_refused() -> None:
    for document in ({}, [], "text", {"channel": "nobody", "title": "x"}, {"channel": "ops", "title": 7}):
        with pytest.raises(ValidationFailure, match="no notice"):
            opened(document)


def test_fields_of_a_newer_release_are_passed_over() -> None:
    assert opened({"channel": "ops", "title": "x", "severity": "info", "colour": "red"}).title == "x"


def test_notices_about_one_endpoint_have_one_subject() -> None:
    about = Notice(channel=Channel.OPS, title="x", project_id="docs", endpoint_id="wiki")

    assert about.subject == "docs/wiki"
    assert Notice(channel=Channel.OPS, title="x").subject == "tenant"
