"""What include and exclude mean, one rule at a time."""

import time

import pytest
from pydantic import ValidationError

from windrow.connectors.files.config import FilesConfig
from windrow.connectors.files.rules import Rules
from windrow.connectors.patterns import Pattern


def means(pattern: str, path: str) -> bool:
    """A path with a slash at its end is a directory's."""
    return Pattern.compiled(pattern).matches(path.removesuffix("/").split("/"), folder=path.endswith("/"))


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        # without a slash: a name at any depth
        ("*.md", ["a.md", "x/y/a.md", ".md", "dir.md/"], ["a.mdx", "a.md.txt", "A.MD"]),
        ("build", ["build", "build/", "x/build/"], ["builds", "build/x"]),
        # with one: from the top
        ("/a.md", ["a.md"], ["x/a.md"]),
        ("docs/*.md", ["docs/a.md"], ["a.md", "docs/x/a.md", "x/docs/a.md"]),
        # at its end: directories only, at any depth
        ("build/", ["build/", "x/build/"], ["build", "x/build"]),
        ("/build/", ["build/"], ["build", "x/build/"]),
        # two stars
        ("**/a", ["a", "x/a", "x/y/a"], ["ab", "x/ab"]),
        ("docs/**", ["docs/a", "docs/x/a", "docs/x/"], ["docs/", "docs", "x/docs/a"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "a/b/zz", "x/a/z"]),
        ("a/**/m/**/z", ["a/m/z", "a/b/m/m/c/z", "a/m/m/z"], ["a/z", "a/m/x"]),
        ("**", ["a", "a/b", "a/"], []),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        # characters
        ("a?c", ["abc", "aöc", "a\udcffc", "a\nc"], ["ac", "abbc"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx", "-x"], ["ax", "x"]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        (r"[\]-]", ["]", "-"], ["\\"]),
        ("[a", ["[a"], ["a"]),
        ("[[&&~~||]", ["[", "&", "~", "|"], ["a"]),
        (r"\*", ["*"], ["a"]),
        (r"\!a", ["!a"], ["a"]),
        (r"a\[b", ["a[b"], ["ab"]),
        ("a.c+(x)$", ["a.c+(x)$"], ["abc+(x)$"]),
        ("*a*b*", ["ab", "xaxbx", "aabb"], ["ba", "a"]),
        ("#a", ["#a"], []),
        (" a", [" a"], ["a"]),
    ],
)
def test_a_pattern_means(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    assert [path for path in meant if not means(pattern, path)] == []
    assert [path for path in not_meant if means(pattern, path)] == []


def excluded(exclude: list[str], path: str, *, hidden: bool = True) -> bool:
    parts = path.removesuffix("/").split("/")
    return Rules(exclude=exclude, hidden=hidden).exclude(parts, folder=path.endswith("/"))


def test_of_the_patterns_that_exclude_the_last_one_that_matches_decides() -> None:
    rules = ["*.log", "!keep.log", "/keep.log"]

    assert excluded(rules, "a.log")
    assert not excluded(rules, "x/keep.log")
    assert excluded(rules, "keep.log")


def test_hidden_names_are_left_out_unless_asked_for() -> None:
    assert excluded([], ".git/", hidden=False)
    assert excluded(["!.git"], ".git/", hidden=False)
    assert not excluded([], ".git/", hidden=True)


@pytest.mark.parametrize(
    ("pattern", "entered", "not_entered"),
    [
        ("docs/api/*.md", ["docs", "docs/api"], ["src", "docs/x", "docs/api/x"]),
        ("docs/**/x", ["docs", "docs/a/b"], ["src"]),
        ("*.md", ["src", "a/b/c"], []),
        ("d*/x", ["docs", "data"], ["src", "docs/y"]),
    ],
)
def test_directories_are_entered_where_a_pattern_may_still_match(
    pattern: str, entered: list[str], not_entered: list[str]
) -> None:
    rules = Rules(include=[pattern])

    assert [path for path in entered if not rules.reach_below(path.split("/"))] == []
    assert [path for path in not_entered if rules.reach_below(path.split("/"))] == []


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*a" * 100 + "*b", "a" * 250), ("**/a/" * 60 + "b", "a/" * 120 + "a"), ("[!b]*" * 80 + "c", "a" * 250)],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    begun = time.process_time()

    assert not means(pattern, path)
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    "pattern", ["", "/", "!", "a//b", "./a", "a/../b", "..", "a\\", "a\\/b", "[z-a]", "a\0", "x" * 2000]
)
def test_what_can_mean_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError):
        FilesConfig(path="/srv", exclude=(pattern,))


def test_an_include_cannot_restore() -> None:
    with pytest.raises(ValidationError, match="exclude only"):
        FilesConfig(path="/srv", include=("!a",))


@pytest.mark.parametrize("path", ["srv", "", "~/files", "./x", "/a\0b"])
def test_a_path_is_absolute(path: str) -> None:
    with pytest.raises(ValidationError, match="absolute"):
        FilesConfig(path=path)
