"""Include and exclude on real trees; where .gitignore means the same, git itself is asked."""

import random
import subprocess
from pathlib import Path

import pytest
from tests.integration.connectors.files.conftest import Reader, clear, fill


async def test_only_what_is_included_is_listed_and_a_directory_with_all_that_is_in_it(
    reader: Reader, top: Path
) -> None:
    fill(top, "a.md", "b.txt", "docs/c.txt", "docs/d/e.txt", "src/docs/f", "src/g.md")

    assert await reader.ids(include=("*.md",)) == [".", "a.md", "src/g.md"]
    assert await reader.ids(include=("docs/",)) == [
        ".",
        "docs",
        "docs/c.txt",
        "docs/d",
        "docs/d/e.txt",
        "src/docs",
        "src/docs/f",
    ]
    assert await reader.ids(include=("/docs/**/*.txt",)) == [".", "docs/c.txt", "docs/d/e.txt"]


async def test_what_is_excluded_is_left_out_of_what_is_included(reader: Reader, top: Path) -> None:
    fill(top, "docs/a.md", "docs/drafts/b.md", "docs/drafts/keep.md")

    assert await reader.ids(include=("docs/**",), exclude=("drafts/",)) == [".", "docs/a.md"]
    assert await reader.ids(include=("docs/**",), exclude=("**/drafts/*", "!keep.md")) == [
        ".",
        "docs/a.md",
        "docs/drafts",
        "docs/drafts/keep.md",
    ]


async def test_hidden_names_are_left_out_unless_they_are_asked_for(reader: Reader, top: Path) -> None:
    fill(top, ".git/config", ".env", "a/.hidden", "a/b")

    assert await reader.ids(hidden=False) == [".", "a", "a/b"]
    assert await reader.ids(hidden=True) == [".", ".env", ".git", ".git/config", "a", "a/.hidden", "a/b"]


async def test_the_same_listing_resumes_under_rules(reader: Reader, top: Path) -> None:
    fill(top, *(f"{a}/{b}.{c}" for a in "abc" for b in "xyz" for c in ("md", "txt")))
    rules = {"include": ("*.md",), "exclude": ("/b",)}
    pages = await reader.pages(size=1, **rules)

    for page, place in zip(pages[:-1], range(1, 99), strict=False):
        assert await reader.ids(page.cursor, **rules) == (await reader.ids(**rules))[place:]


WORDS = ["a", "b", "ab", "a.b", "b.md", "[a]", "*", "a b"]
PATTERNS = [
    "*",
    "a",
    "/a",
    "a/",
    "*.md",
    "a*",
    "?",
    "[ab]",
    "[!a]",
    "**/b",
    "a/**",
    "a/**/b",
    "/a/*",
    "b/a",
    "!b",
    "!/a",
    "!*.md",
    r"\*",
    "a/",
    "[[]a]",
    "**",
    "/*/*",
]


@pytest.mark.campaign
async def test_exclude_leaves_out_what_git_ignores(reader: Reader, top: Path, seed: int) -> None:
    chosen = random.Random(seed)
    subprocess.run(["git", "init", "-q", top], check=True)  # noqa: ASYNC221 - nothing else runs here
    for _ in range(25):
        paths = {"/".join(chosen.choices(WORDS, k=chosen.randint(1, 3))) for _ in range(8)}
        paths = {path for path in paths if not any(other.startswith(f"{path}/") for other in paths)}
        fill(top, *paths)
        patterns = chosen.choices(PATTERNS, k=chosen.randint(1, 4))
        (top / ".git/info/exclude").write_text("\n".join(patterns))
        left = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
            ["git", "-C", top, "ls-files", "-z", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\0")[:-1]

        items = await reader.items(hidden=False, exclude=tuple(patterns))

        assert sorted(name for name, one in items.items() if one.entity_type == "file") == sorted(left), (
            patterns,
            paths,
        )
        for path in {path.partition("/")[0] for path in paths}:
            clear_one(top / path)


def clear_one(path: Path) -> None:
    if path.is_dir():
        clear(path)
        path.rmdir()
    else:
        path.unlink()
