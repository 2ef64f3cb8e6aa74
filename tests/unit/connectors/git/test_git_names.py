"""How things are called, and where people look at them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.files.naming import escaped
from windrow.connectors.git.config import Entity
from windrow.connectors.git.executable import OLDEST, Version
from windrow.connectors.git.filters import Filter
from windrow.connectors.git.forge import forge
from windrow.connectors.git.languages import language
from windrow.connectors.git.mirror import _read
from windrow.connectors.git.naming import author_name, external_id
from windrow.connectors.git.tagging import read_tag
from windrow.contracts.errors import Fatal

SHA = "a" * 40
PATHS = st.lists(st.sampled_from([b"\\", b"#", b"a", b"\xff", b"\n", b"x" * 399, b"y" * 700]), max_size=4).map(b"".join)


@given(PATHS, PATHS)
@settings(max_examples=300)
def test_two_paths_never_have_one_name(one: bytes, other: bytes) -> None:
    names = [external_id(Entity.FILE, escaped(path)) for path in (one, other)]

    assert (names[0] == names[1]) == (one == other)
    assert max(map(len, names)) <= 1024


def test_a_name_that_poses_as_a_long_one_is_another() -> None:
    long = b"x" * 394 + b"\\" + b"y" * 1000
    shortened = external_id(Entity.FILE, escaped(long))
    posing = shortened.removeprefix("file:").replace("\\\\", "\\").encode()

    assert external_id(Entity.FILE, escaped(posing)) != shortened


def test_an_author_is_told_by_the_address_and_without_one_by_the_name() -> None:
    assert author_name(b" Ada@Example.org ", b"Ada") == "ada@example.org"
    assert author_name(b"", b"Ada") == "<>Ada"


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("https://github.com/acme/tools.git", "https://github.com/acme/tools"),
        ("https://user:token@github.com/acme/tools", "https://github.com/acme/tools"),
        ("git@gitlab.com:group/sub/project.git", "https://gitlab.com/group/sub/project"),
        ("ssh://git@codeberg.org/acme/tools.git", "https://codeberg.org/acme/tools"),
        ("https://bitbucket.org/acme/tools/", "https://bitbucket.org/acme/tools"),
        ("https://git.example.org/acme/tools.git", None),
        ("https://github.com/", None),
        ("https://github.com.evil.example/acme/tools", None),
        ("javascript:alert(1)//github.com/acme/tools", None),
        ("https://github.com/acme/../other", None),
        (None, None),
    ],
)
def test_a_forge_is_known_by_its_address(address: str | None, base: str | None) -> None:
    known = forge(address)

    assert (known.base if known else None) == base


def test_a_page_needs_a_branch_and_a_bounded_address() -> None:
    known = forge("https://github.com/acme/tools")
    assert known
    assert (
        known.url(Entity.FILE, b"a/\xff?.py", "feature/x") == "https://github.com/acme/tools/blob/feature/x/a/%FF%3F.py"
    )
    assert known.url(Entity.FILE, b"a", None) is None
    assert known.url(Entity.AUTHOR, b"a", "main") is None
    assert known.url(Entity.FILE, b"\xff" * 2000, "main") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/b.PY", "python"), ("Makefile", "make"), ("README", None), ("x.unknown", None), (".py", "python")],
)
def test_a_language_is_told_by_the_name(path: str, expected: str | None) -> None:
    assert language(path) == expected


@pytest.mark.parametrize(
    "said", [b"git version 2.39.5\n", b"git version 2.39.5 (Apple Git-154)\n", b"git version 3.0\n"]
)
def test_a_version_is_read(said: bytes) -> None:
    Version.parse(said).need(OLDEST)


@pytest.mark.parametrize("said", [b"git version 1.8.3.1\n", b"git version 2.31.9\n", b"", b"hub version 2.39\n"])
def test_what_is_too_old_or_no_git_is_refused(said: bytes) -> None:
    with pytest.raises(Fatal):
        Version.parse(said).need(OLDEST)


def test_a_tag_tells_who_made_it() -> None:
    raw = b"object %b\ntype commit\ntag v1\ntagger Ada L <ada@example.org> 1600000000 +0100\n\nFirst.\n\nMore.\n"

    assert read_tag(raw % SHA.encode()) == {
        "tagger": "Ada L",
        "tagger_email": "ada@example.org",
        "at": 1600000000,
        "message": "First.\n\nMore.\n",
    }


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"tagger nobody\n\n\xff", b"tagger <> 1 +0000"])
def test_a_broken_tag_tells_less(raw: bytes) -> None:
    assert read_tag(raw)["tagger_email"] == ""


def test_head_is_what_the_remote_says_or_what_it_looks_like() -> None:
    listed = f"{SHA}\tHEAD\n{'b' * 40}\trefs/heads/work\n{SHA}\trefs/heads/main\n{SHA}\trefs/heads/a\n"

    assert _read(f"ref: refs/heads/work\tHEAD\n{listed}").head == "work"
    assert (_read(listed).head, _read(listed).detached) == ("main", False)
    assert _read(f"{SHA}\tHEAD\n").detached
    assert (_read("").head, _read("").detached, _read("").branches) == (None, False, {})


def test_a_directory_that_is_left_out_takes_everything_with_it() -> None:
    listed = Filter(["*.py"], ["vendor/", "!keep.py"]).lists

    assert listed(b"a.py")
    assert listed(b"src/a.py")
    assert not listed(b"src/vendor/deep/a.py")
    assert not listed(b"vendor/keep.py")
    assert not listed(b"a.txt")
    assert listed(b"\xff/a.py")
