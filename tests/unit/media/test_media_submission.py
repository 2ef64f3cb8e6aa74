"""What may be submitted, and what a URL tells of its medium."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.contracts.errors import ValidationFailure
from windrow.media.job import ClipWish, Media
from windrow.media.submission import LONGEST_URL, Submission, media_of, media_type_of

URL = "https://youtu.be/dQw4w9WgXcQ"


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        (URL, "youtube"),
        ("https://www.youtube.com/watch?v=x", "youtube"),
        ("https://m.YOUTUBE.com./shorts/x", "youtube"),
        ("https://music.youtube.com/watch?v=x", "youtube"),
        ("https://www.youtube-nocookie.com/embed/x", "youtube"),
        ("https://notyoutube.com/watch?v=x", "web"),
        ("https://youtube.com.evil.example/watch?v=x", "web"),
        ("https://evil.example/?u=youtube.com", "web"),
        ("https://[::1", "web"),
        ("file:/srv/talk.mp4", "file"),
        ("object:talks/1.mp4", "file"),
        ("", "web"),
    ],
)
def test_a_url_tells_the_type_of_its_medium(url: str, kind: str) -> None:
    assert media_type_of(url) == kind


def test_a_type_that_is_said_counts_more_than_the_url() -> None:
    assert media_of(URL, "vinyl") == Media(type="vinyl", url=URL)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "talk.mp4",
        "javascript:alert(1)",
        "https://",
        "file:/",
        "object:",
        f"{URL}\n",
        f"{URL}\0",
        "\ud800",
        f"{URL}{'x' * LONGEST_URL}",
        "https://ada:secret@example.org/a.mp4",
    ],
)
def test_what_is_no_url_of_a_medium_is_refused(url: str) -> None:
    with pytest.raises(ValidationFailure):
        Submission(media=Media(type="youtube", url=url), request_id="r")


@pytest.mark.parametrize("text", ["", "a\0", "a\nb", "\ud800", "x" * 201])
def test_an_id_is_a_line_of_printable_text(text: str) -> None:
    with pytest.raises(ValidationFailure):
        Submission(media=media_of(URL), request_id=text)
    with pytest.raises(ValidationFailure):
        Submission(media=media_of(URL), request_id="r", correlation_id=text)


@given(start=st.floats(), end=st.floats())
def test_a_clip_has_a_finite_length(start: float, end: float) -> None:
    fine = math.isfinite(start) and math.isfinite(end) and 0 <= start < end <= 1_000_000
    try:
        Submission(media=media_of(URL), request_id="r", clip=ClipWish(start=start, end=end))
    except ValidationFailure:
        assert not fine
    else:
        assert fine
