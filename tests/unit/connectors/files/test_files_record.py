"""What the file system says, as an item."""

from datetime import UTC, datetime
from typing import Any

import pytest

from windrow.connectors.files.media_types import media_type
from windrow.connectors.files.record import item


def said(**more: Any) -> dict[str, Any]:
    common = {"id": "a.txt", "name": "a.txt", "kind": "file", "mode": "0644", "modified": "0.000000000", "owner": "me"}
    return common | more


@pytest.mark.parametrize(
    ("modified", "moment"),
    [
        ("1700000000.123456789", datetime(2023, 11, 14, 22, 13, 20, 123456, UTC)),
        ("-1.500000000", datetime(1969, 12, 31, 23, 59, 58, 500000, UTC)),
        ("-62135596800.000000000", datetime(1, 1, 1, tzinfo=UTC)),
        ("-62135596801.000000000", None),
        ("253402300800.000000000", None),
        ("9223372036854775807.999999999", None),
    ],
)
def test_a_time_of_any_year_is_told_exactly(modified: str, moment: datetime | None) -> None:
    found = item(said(modified=modified))

    assert found.source_updated_at == moment
    assert found.attributes["modified"] == modified


def test_what_is_neither_file_nor_directory_nor_link_is_special() -> None:
    found = item(said(kind="fifo"))

    assert (found.entity_type, found.attributes["kind"]) == ("special", "fifo")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.MD", "text/markdown"),
        ("a.tar.gz", "application/gzip"),
        ("a.py", "text/x-python"),
        ("a.pdf", "application/pdf"),
        ("data:text/html,x.png", "image/png"),
        ("Makefile", None),
        (".gitignore", None),
        ("a.", None),
        ("a.unheard-of", None),
        ("http://x/a.gif?b", None),
    ],
)
def test_the_ending_tells_the_media_type(name: str, kind: str | None) -> None:
    assert media_type(name) == kind
